//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program runs on Cloudflare Workers; build it with: scripts/edge build")
	os.Exit(2)
}

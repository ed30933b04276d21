//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program runs in a browser tab; build it with: go run ./wasm/build")
	os.Exit(2)
}

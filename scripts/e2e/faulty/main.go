// Command faulty stands for the cluster in the tests of what the page says when it fails: a Go
// program for the browser that ends as -X main.how tells it. It may import the standard library
// only, so that it is built in seconds and without the overlay.
package main

import (
	"fmt"
	"os"
	"time"
)

// how is set by the linker.
var how string

func main() {
	fmt.Fprintln(os.Stderr, "I0101 00:00:00.000000       1 main.go:1] about to", how)
	switch how {
	case "panic":
		var none []int
		fmt.Println(none[len(os.Args)])
	case "exit":
		fmt.Fprintln(os.Stderr, "F0101 00:00:00.000000       1 server.go:7] no port left")
		os.Exit(255)
	case "return":
	case "memory":
		for kept := [][]byte{}; ; {
			b := make([]byte, 256<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			kept = append(kept, b)
			time.Sleep(time.Millisecond)
		}
	default:
		panic("unknown: " + how)
	}
}

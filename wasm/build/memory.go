package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const wasmPage = 64 << 10

// initialMemory is what a cluster of three nodes with 30 pods needs anyway, in bytes: under Node one
// that begins with the linker's own 62 MiB has come to 264 MiB (scripts/tab-in-node.mjs --module
// out/wasm/tabernetes.wasm). Pages that are never touched take no memory of the machine.
const initialMemory = 268 << 20

// memorySection is the id of the section that says how much memory a module begins with.
const memorySection = 5

// withInitialMemory returns the module with its memory beginning at no less than size bytes. Go
// takes what is there before it asks for more, and each memory.grow costs some milliseconds:
// the browser moves or protects the whole of it again.
func withInitialMemory(module []byte, size uint64) ([]byte, error) {
	return withSection(module, memorySection, "memory", func(body []byte) ([]byte, error) {
		return growSection(body, (size+wasmPage-1)/wasmPage)
	})
}

// growSection changes the body of the section: a count of one, a flag (1: there is a maximum),
// and the minimum in pages.
func growSection(body []byte, pages uint64) ([]byte, error) {
	if len(body) < 3 || body[0] != 1 || body[1] > 1 {
		return nil, fmt.Errorf("memory section % x is not of the expected form", body)
	}
	least, n := binary.Uvarint(body[2:])
	if n <= 0 {
		return nil, errors.New("memory section: no minimum")
	}
	rest := body[2+n:]
	if body[1] == 1 {
		if most, _ := binary.Uvarint(rest); pages > most {
			return nil, fmt.Errorf("%d pages are more than the module's maximum of %d", pages, most)
		}
	}
	return append(binary.AppendUvarint([]byte{1, body[1]}, max(least, pages)), rest...), nil
}

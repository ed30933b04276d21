package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// withSection returns the module with the body of one of its sections changed. It fails if there is none.
func withSection(module []byte, id byte, name string, change func(body []byte) ([]byte, error)) ([]byte, error) {
	const header = 8
	if len(module) < header || !bytes.Equal(module[:4], []byte("\x00asm")) {
		return nil, errors.New("not a WebAssembly module")
	}
	for at := header; at < len(module); {
		length, n := binary.Uvarint(module[at+1:])
		body := at + 1 + n
		if n <= 0 || uint64(len(module)-body) < length {
			return nil, fmt.Errorf("section %d at byte %d is cut off", module[at], at)
		}
		end := body + int(length)
		if module[at] != id {
			at = end
			continue
		}
		section, err := change(module[body:end])
		if err != nil {
			return nil, err
		}
		out := make([]byte, 0, len(module)+len(section)-int(length)+8)
		out = append(out, module[:at+1]...)
		out = binary.AppendUvarint(out, uint64(len(section)))
		out = append(out, section...)
		return append(out, module[end:]...), nil
	}
	return nil, fmt.Errorf("the module has no %s section", name)
}

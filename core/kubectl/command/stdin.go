package command

import (
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// processStdin is held while os.Stdin stands for one command's standard input.
var processStdin sync.Mutex

// stdin returns the command's standard input. Where a manifest is read from it (-f -), upstream
// reads os.Stdin, a variable of the process: it then stands for a file with what was piped in,
// until restore is called. One such command runs at a time.
func (f paths) stdin(args []string) (in io.Reader, restore func()) {
	in = f.p.Stdin
	if in == nil {
		in = strings.NewReader("")
	}
	if !readsManifest(args) {
		return in, func() {}
	}
	file, err := os.CreateTemp("", "kubectl-stdin-")
	if err != nil {
		return in, func() {}
	}
	name := file.Name()
	_, err = io.Copy(file, in)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close() // upstream's read of it then says so
	}
	processStdin.Lock()
	before := os.Stdin
	os.Stdin = file
	return in, func() {
		os.Stdin = before
		processStdin.Unlock()
		file.Close()
		os.Remove(name)
	}
}

// readsManifest says whether args name standard input as a file.
func readsManifest(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	for i, a := range args {
		if a == "-f-" || a == "-f=-" || a == "--filename=-" ||
			a == "-" && i > 0 && (args[i-1] == "-f" || args[i-1] == "--filename") {
			return true
		}
	}
	return false
}

package join

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// commands are all processes of the machine with their command lines.
func commands() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, f := range files {
			b, err := os.ReadFile(f)
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			if err == nil && !yield(n, strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))) {
				return
			}
		}
	}
}

// pid is that of the process whose command line contains the text, 0 if there is none.
func pid(text string) int {
	for n, line := range commands() {
		if strings.Contains(line, text) {
			return n
		}
	}
	return 0
}

// status are the fields of proc(5)'s stat from the third on, which is the state; nil if the process has
// gone. (The second is a name, which may have spaces.)
func status(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.Fields(rest)
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Fatal("there is nothing to kill")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

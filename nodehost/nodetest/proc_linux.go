package nodetest

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

// Commands are all processes of the machine with their command lines.
func Commands() iter.Seq2[int, string] {
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

// PID is that of the process whose command line contains the text, 0 if there is none.
func PID(text string) int {
	for n, line := range Commands() {
		if strings.Contains(line, text) {
			return n
		}
	}
	return 0
}

// Status are the fields of proc(5)'s stat from the third on, which is the state; nil if the process has
// gone. (The second is a name, which may have spaces.)
func Status(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.Fields(rest)
}

// Ended says whether a process is gone, or waits for its parent to hear of its end.
func Ended(pid int) bool {
	fields := Status(pid)
	return len(fields) == 0 || fields[0] == "Z"
}

// Descendants are a process and all below it, the lowest last.
func Descendants(pid int) []int {
	all := []int{pid}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		for _, child := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(child); err == nil {
				all = append(all, Descendants(n)...)
			}
		}
	}
	return all
}

// Kill kills a process that there has to be.
func Kill(t testing.TB, pid int) {
	t.Helper()
	if pid == 0 {
		t.Fatal("there is nothing to kill")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

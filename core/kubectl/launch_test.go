//go:build !js

package kubectl_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/core/kubectl/command"
)

// launchByScript puts an editor on the PATH that asks this process to edit.
func launchByScript(t *testing.T) {
	dir := t.TempDir()
	asked, answered := filepath.Join(dir, "asked"), filepath.Join(dir, "answered")
	for _, fifo := range []string{asked, answered} {
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf("#!/bin/sh\necho \"$1 $2\" > %s\nread -r answer < %s\n[ \"$answer\" = ok ]\n", asked, answered)
	if err := os.WriteFile(filepath.Join(dir, "tabernetes-editor"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	// Read and write: so that opening waits for nobody, and ends with the test.
	requests, err := os.OpenFile(asked, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { requests.Close() })
	go func() {
		lines := bufio.NewScanner(requests)
		for lines.Scan() {
			number, name, _ := strings.Cut(lines.Text(), " ")
			answer := "ok\n"
			if err := command.LaunchEditor([]string{"tabernetes-editor", number}, name); err != nil {
				answer = err.Error() + "\n"
			}
			if err := os.WriteFile(answered, []byte(answer), 0); err != nil {
				return
			}
		}
	}()
	command.TakeOverEditor()
}

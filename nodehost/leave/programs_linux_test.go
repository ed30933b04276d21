package leave

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

// TestNothingIsRunThatOthersCanChange: a firewall's program that somebody has planted in PATH is not run by root who
// leaves, and the node stays as it is.
func TestNothingIsRunThatOthersCanChange(t *testing.T) {
	for _, name := range []string{"nft", "iptables-save", "systemctl"} {
		t.Run(name, func(t *testing.T) {
			root, p := place(t)
			if err := p.Save(&nodedir.State{Node: "a", Instance: "i", Joined: true, Leaving: true, RunDir: p.Run}); err != nil {
				t.Fatal(err)
			}
			fill(t, p.Run, ".nodehost", "lock")
			planted, ran := filepath.Join(t.TempDir(), "bin"), filepath.Join(t.TempDir(), "ran")
			if err := os.Mkdir(planted, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(planted, name), []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o755); err != nil { //nolint:gosec // it is a program
				t.Fatal(err)
			}
			if err := os.Chmod(planted, 0o777); err != nil { //nolint:gosec // that is the attack
				t.Fatal(err)
			}
			t.Setenv("PATH", planted+":"+os.Getenv("PATH"))
			before := files(t, root)
			err := Run(t.Context(), Options{Place: p, Force: true, Out: io.Discard, Log: quiet})
			if err == nil || !strings.Contains(err.Error(), planted) || !strings.Contains(err.Error(), "nothing was removed") {
				t.Errorf("%v", err)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("it was run")
			}
			wantFiles(t, root, before...)
		})
	}
}

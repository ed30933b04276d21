package join

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// HideToken starts this program anew, in its own place, without the token on the command line, which
// everybody on the machine can read as long as the process runs: the token is on standard input then.
// It comes back only if that fails.
func HideToken(args []string, token string) error {
	without, ok := WithoutToken(args, token)
	if !ok || len(token) > maxToken {
		return errors.New("--token: it cannot be told from the other arguments; give it by --token-file FILE, or --token-file - for standard input")
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("hide the token: %w", err)
	}
	if _, err := unix.Write(pipe[1], []byte(token+"\n")); err != nil { // a pipe takes 64 kB
		return fmt.Errorf("hide the token: %w", err)
	}
	if err := errors.Join(unix.Close(pipe[1]), unix.Dup3(pipe[0], 0, 0)); err != nil {
		return fmt.Errorf("hide the token: %w", err)
	}
	// Not by its name, where there may be another program by now.
	return fmt.Errorf("hide the token: %w", unix.Exec(selfPath, without, os.Environ()))
}

// ShowName has the process be called as its program is: one that was started anew is called "exe".
func ShowName() {
	const comm = "/proc/self/comm"
	if b, err := os.ReadFile(comm); err == nil && strings.TrimSpace(string(b)) == "exe" {
		_ = os.WriteFile(comm, []byte(programName), 0)
	}
}

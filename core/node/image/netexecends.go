package image

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// klogTime is how netexec's log begins its lines.
const klogTime = "2006/01/02 15:04:05"

// Bounds of what a stranger has netexec do.
const (
	maxExitWait  = time.Hour
	maxShellSays = 1 << 20 // bytes
)

// exitCode is why netexec ends: it was asked to, with this code.
type exitCode int

// Error implements error.
func (e exitCode) Error() string { return fmt.Sprintf("asked to end with code %d", int(e)) }

// netexecEnds are the requests that have netexec end, or run a line of shell (upstream's
// test/images/agnhost/README.md, "netexec").
func netexecEnds(mux *http.ServeMux, p *program.Process, end context.CancelCauseFunc) {
	mux.HandleFunc("/exit", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.ParseUint(r.FormValue("code"), 10, 7)
		if r.FormValue("code") != "" && err != nil {
			fmt.Fprintf(w, "argument 'code' must be an integer [0-127] or empty, got %q\n", r.FormValue("code"))
			return
		}
		wait, err := time.ParseDuration(r.FormValue("wait"))
		if r.FormValue("wait") != "" && (err != nil || wait < 0 || wait > maxExitWait) {
			fmt.Fprintf(w, "argument 'wait' must be a duration of at most an hour or empty, got %q\n", r.FormValue("wait"))
			return
		}
		// Connections that are open end with the program, however long they might be waited for.
		if timeout := r.FormValue("timeout"); timeout != "" {
			if _, err := time.ParseDuration(timeout); err != nil {
				fmt.Fprintf(w, "argument 'timeout' must be a valid golang duration or empty, got %q\n", timeout)
				return
			}
		}
		// Who asked has the whole answer before anything ends.
		w.Header().Set("Content-Length", "0")
		_ = http.NewResponseController(w).Flush() // whoever has gone needs none
		time.AfterFunc(wait, func() { end(exitCode(code)) })
	})
	mux.HandleFunc("/shutdown", func(http.ResponseWriter, *http.Request) { end(exitCode(0)) })
	mux.HandleFunc("/shell", func(w http.ResponseWriter, r *http.Request) {
		said := map[string]string{}
		if sh, ok := p.Lookup("sh"); ok {
			line := r.FormValue("shellCommand")
			if line == "" {
				line = r.FormValue("cmd")
			}
			var out bounded
			child := p.Child("sh", "-c", line)
			child.Stdin, child.Stdout, child.Stderr = nil, &out, &out
			if code := sh(r.Context(), child); code != 0 {
				said["error"] = fmt.Sprintf("exit status %d", code)
			}
			said["output"] = out.String()
		} else {
			said["error"] = "there is no shell in this image"
		}
		_ = json.NewEncoder(w).Encode(said) // who does not read it has gone
	})
}

// bounded keeps the beginning of what is written.
type bounded struct{ bytes.Buffer }

// Write implements io.Writer.
func (b *bounded) Write(data []byte) (int, error) {
	_, _ = b.Buffer.Write(data[:min(len(data), maxShellSays-b.Len())])
	return len(data), nil
}

package tool

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/openssl"
)

func init() { tools["openssl"] = opensslTool }

// opensslTool gives core/shell/openssl the process's files.
func opensslTool(t *T) int {
	run := &openssl.Run{
		Args: t.Args[1:], In: t.in, Typed: t.Stdin, Out: t.out, Err: opensslErr{t}, Flush: t.out.Flush, Now: time.Now(),
		Open: func(name string) (io.ReadCloser, error) {
			f, err := t.open(name)
			if err != nil {
				return nil, errors.New(program.Reason(err))
			}
			return f, nil
		},
		Create: func(name string, private bool) (io.WriteCloser, error) {
			mode := os.FileMode(0o644)
			if private {
				mode = 0o600
			}
			f, err := t.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
			if err != nil {
				return nil, errors.New(program.Reason(err))
			}
			return f, nil
		},
	}
	if t.Net != nil {
		run.Dial = func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := t.Net.Dial(ctx, "tcp", address)
			if err != nil {
				t.explain(err)
				return nil, errors.New(netReason(err))
			}
			return conn, nil
		}
	}
	return openssl.Main(t.ctx, run)
}

// opensslErr is standard error, after what was printed before.
type opensslErr struct{ t *T }

// Write implements io.Writer.
func (e opensslErr) Write(p []byte) (int, error) { return e.t.stderr().Write(p) }

package controlplane

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
)

// untilTold runs f until it ends or SIGTERM tells it to, and returns the exit code. SIGKILL waits for nobody:
// f's context is done, and its network is gone with the container.
func untilTold(ctx context.Context, p *program.Process, f func(context.Context) error) int {
	told, stop := image.UntilTold(ctx, p)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				ended <- fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		ended <- f(told)
	}()
	select {
	case err := <-ended:
		if err != nil {
			fmt.Fprintf(p.Stderr, "Error: %v\n", err)
			return 1
		}
		return 0
	case <-ctx.Done():
		return 128 + int(program.SIGKILL)
	}
}

// maxFile bounds what is read of a pod's file, in bytes: certificates and configurations are smaller.
const maxFile = 1 << 20

// read reads a file of the pod's.
func read(p *program.Process, name string) ([]byte, error) {
	f, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: it has more than %d bytes", name, maxFile)
	}
	return data, err
}

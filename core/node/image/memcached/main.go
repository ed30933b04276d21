package memcached

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"container/list"

	"github.com/tabernetes/tabernetes/core/program"
)

// Version is the memcached whose commands these are.
const Version = "1.6.38"

// maxClients is how many connections there are at most.
const maxClients = 256

type server struct {
	cache
	p       *program.Process
	begun   time.Time
	clients atomic.Int64
}

// Main is memcached. Of its options -p and -m mean something here.
func Main(ctx context.Context, p *program.Process) int {
	port, megabytes := 11211, 64
	for args := p.Args[1:]; len(args) > 0; args = args[1:] {
		name, value, joined := strings.Cut(args[0], "=")
		var to *int
		switch {
		case name == "-p" || name == "--port":
			to = &port
		case name == "-m" || name == "--memory-limit":
			to = &megabytes
		default:
			continue
		}
		if !joined && len(args) > 1 {
			value, args = args[1], args[1:]
		}
		n, err := strconv.ParseUint(value, 10, 16)
		if err != nil || n == 0 {
			fmt.Fprintf(p.Stderr, "memcached: %s %q is no number up to 65535\n", name, value)
			return 64
		}
		*to = int(n)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case sig := <-p.Signals:
				if sig == program.SIGTERM || sig == program.SIGINT {
					stop()
				}
			}
		}
	}()
	s := &server{p: p, begun: time.Now(), cache: cache{limit: int64(megabytes) << 20, held: p.Memory(), items: map[string]*list.Element{}}}
	defer s.held.Free()
	ln, err := p.Net.Listen(ctx, "tcp", ":"+strconv.Itoa(port))
	if err != nil {
		fmt.Fprintf(p.Stderr, "failed to listen on TCP port %d: %v\n", port, err)
		return 71
	}
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	for {
		c, err := ln.Accept()
		if err != nil {
			return 0
		}
		if s.clients.Add(1) > maxClients {
			s.clients.Add(-1)
			_, _ = io.WriteString(c, "ERROR Too many open connections\r\n")
			_ = c.Close()
			continue
		}
		go func() {
			defer s.clients.Add(-1)
			defer context.AfterFunc(ctx, func() { c.Close() })()
			s.session(c)
		}()
	}
}

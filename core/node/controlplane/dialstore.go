package controlplane

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/store"
)

// dialPatience is how long an API server waits for its etcd, as upstream's client does.
const dialPatience = 20 * time.Second

// dialStore finds the store of the etcd at one of servers (--etcd-servers), as seen from the pod. lost is
// closed when that etcd has ended.
func dialStore(ctx context.Context, p *program.Process, servers []string) (s *store.Store, lost <-chan struct{}, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialPatience)
	defer cancel()
	err = errors.New("--etcd-servers names none")
	for {
		for _, server := range servers {
			if s, lost, err = greeted(ctx, p, server); err == nil {
				return s, lost, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("find the etcd of --etcd-servers: %w", err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func greeted(ctx context.Context, p *program.Process, server string) (*store.Store, <-chan struct{}, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" || u.Port() == "" {
		return nil, nil, fmt.Errorf("%q is not http://HOST:PORT, which is all that is known here", server)
	}
	c, err := p.Net.Dial(ctx, "tcp", u.Host)
	if err != nil {
		return nil, nil, err
	}
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	line, err := bufio.NewReader(io.LimitReader(c, 256)).ReadString('\n')
	key, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), greeting)
	s, known := stores.Load(key)
	if err != nil || !ok || !known {
		c.Close()
		return nil, nil, fmt.Errorf("%s is no etcd of this cluster's: run the image registry.k8s.io/etcd there", server)
	}
	_ = c.SetReadDeadline(time.Time{})
	lost := make(chan struct{})
	go func() {
		defer close(lost)
		defer c.Close()
		var nothing [1]byte
		_, _ = c.Read(nothing[:])
	}()
	return s.(*store.Store), lost, nil
}

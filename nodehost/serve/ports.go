package serve

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// ports are those that clusters can have of their own.
type ports struct{ first, last int }

// parsePorts reads "FIRST-LAST" or "0"; empty is nil.
func parsePorts(text string) (*ports, error) {
	switch text {
	case "":
		return nil, nil
	case "0":
		return &ports{}, nil
	}
	from, to, ok := strings.Cut(text, "-")
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if !ok || err1 != nil || err2 != nil || first < 1 || last < first || last > 65535 {
		return nil, fmt.Errorf("--cluster-ports is %q; two ports with a hyphen between them are needed, or 0", text)
	}
	return &ports{first, last}, nil
}

// open is the hub's Ports: the first that is free.
func (p *ports) open(host string) func(string) (net.Listener, error) {
	if p == nil {
		return nil
	}
	return func(string) (net.Listener, error) {
		var err error
		for port := p.first; port <= p.last; port++ {
			var ln net.Listener
			if ln, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
				return ln, nil
			}
		}
		return nil, fmt.Errorf("no port from %d to %d is free: %w", p.first, p.last, err)
	}
}

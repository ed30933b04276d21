package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxRequest is how long a request to netexec by datagram is, and an answer, in bytes.
const maxRequest = 4096

// netexecDatagrams answers what is asked by datagram until ctx is done: "hostname", "echo TEXT", "clientip"
// and "serverport", as upstream's test/images/agnhost/README.md has it. It returns when the socket is bound.
func netexecDatagrams(ctx context.Context, p *program.Process, port int) error {
	c, err := p.Net.ListenPacket(ctx, "udp", fmt.Sprintf(":%d", port))
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = c.Close() })
	go func() {
		buf := make([]byte, maxRequest)
		for {
			n, from, err := c.ReadFrom(buf)
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil:
				continue
			}
			request := strings.TrimRight(string(buf[:n]), "\r\n")
			answer, ok := netexecAnswer(p, request, from, port)
			if !ok {
				fmt.Fprintf(p.Stderr, "Unknown udp command received: %q\n", request)
				continue
			}
			_, _ = io.WriteString(answering{c, from}, answer) // who has gone does not hear it
		}
	}()
	return nil
}

// answering writes to one address.
type answering struct {
	c  net.PacketConn
	to net.Addr
}

func (a answering) Write(p []byte) (int, error) { return a.c.WriteTo(p, a.to) }

func netexecAnswer(p *program.Process, request string, from net.Addr, port int) (answer string, ok bool) {
	command, rest, _ := strings.Cut(request, " ")
	switch strings.ToLower(command) {
	case "hostname":
		return p.Hostname, true
	case "echo":
		return rest, true
	case "clientip":
		return from.String(), true
	case "serverport":
		return strconv.Itoa(port), true
	}
	return "", false
}

// askByDatagram sends a request and waits for one answer.
func askByDatagram(ctx context.Context, network program.Network, address, request string) (string, error) {
	c, err := network.Dial(ctx, "udp", address)
	if err != nil {
		return "", err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	if err := c.SetReadDeadline(time.Now().Add(dialTimeout)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(c, request); err != nil {
		return "", err
	}
	buf := make([]byte, maxRequest)
	n, err := c.Read(buf)
	return string(buf[:n]), err
}

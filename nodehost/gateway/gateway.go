package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// dialPatience is how long a connection to an address may take.
const dialPatience = 10 * time.Second

// Handler connects to the given addresses ("host:port").
func Handler(addresses []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || !slices.Contains(addresses, r.Host) {
			http.Error(w, "this gateway does not lead to "+r.Host, http.StatusForbidden)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), dialPatience)
		defer cancel()
		there, err := new(net.Dialer).DialContext(ctx, "tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer there.Close()
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer here.Close()
		if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
			return
		}
		splice(here, there)
	})
}

// splice moves bytes both ways until both have ended, or one has failed.
func splice(a, b net.Conn) {
	var both sync.WaitGroup
	for _, way := range []struct{ to, from net.Conn }{{a, b}, {b, a}} {
		both.Go(func() {
			_, err := io.Copy(way.to, way.from)
			half, ok := way.to.(interface{ CloseWrite() error })
			if err != nil || !ok || half.CloseWrite() != nil {
				_ = a.Close()
				_ = b.Close()
			}
		})
	}
	both.Wait()
}

// Dialer dials through the gateway at a unix socket.
func Dialer(socket string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err != nil {
			return nil, fmt.Errorf("dial %s: %w", address, err)
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		answered, err := connect(conn, address)
		if !stop() {
			err = errors.Join(err, context.Cause(ctx))
		}
		if err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("dial %s: %w", address, err)
		}
		return answered, nil
	}
}

// connect asks for address. The connection that it returns begins with what came behind the answer.
func connect(conn net.Conn, address string) (net.Conn, error) {
	req := &http.Request{Method: http.MethodConnect, Host: address, URL: &url.URL{Opaque: address}}
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	read := bufio.NewReader(conn)
	res, err := http.ReadResponse(read, req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return nil, fmt.Errorf("%s: %s", res.Status, why)
	}
	return &begun{conn, read}, nil
}

// begun is a connection of which some has been read already.
type begun struct {
	net.Conn
	read *bufio.Reader
}

func (b *begun) Read(p []byte) (int, error) { return b.read.Read(p) }

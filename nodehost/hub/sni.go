package hub

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// maxClientHello is how much of a connection is read to find its server name, in bytes.
const maxClientHello = 16 << 10

// helloPatience is how long a client may take to send its first message.
const helloPatience = 10 * time.Second

var errEnough = errors.New("the server name is known")

// peekServerName reads a TLS ClientHello and returns the server name in it, in lower case as
// sent, and a connection from which the same bytes can be read again. crypto/tls does the
// parsing; it is stopped before it answers anything.
func peekServerName(conn net.Conn) (name string, again *replay, err error) {
	_ = conn.SetReadDeadline(time.Now().Add(helloPatience))
	var seen bytes.Buffer
	look := onlyRead{Reader: io.TeeReader(io.LimitReader(conn, maxClientHello), &seen)}
	err = tls.Server(look, &tls.Config{
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			name = hello.ServerName
			return nil, errEnough
		},
	}).Handshake()
	if !errors.Is(err, errEnough) {
		if err == nil {
			err = errors.New("no TLS")
		}
		return "", nil, err
	}
	_ = conn.SetReadDeadline(time.Time{})
	return name, &replay{Conn: conn, first: seen.Bytes(), answered: func() {}}, nil
}

// onlyRead is a connection on which nothing can be written.
type onlyRead struct {
	net.Conn
	io.Reader
}

func (o onlyRead) Read(p []byte) (int, error)       { return o.Reader.Read(p) }
func (o onlyRead) Write(p []byte) (int, error)      { return len(p), nil }
func (o onlyRead) SetDeadline(time.Time) error      { return nil }
func (o onlyRead) SetWriteDeadline(time.Time) error { return nil }

// replay is a connection whose first bytes have been read already.
type replay struct {
	net.Conn
	first []byte
	// asked says that the cluster has answered the first message. answered is called when the client
	// has said something more after that, which ends its part of a TLS handshake.
	asked    atomic.Bool
	done     bool // answered was called; of the one reader
	answered func()
}

func (r *replay) Write(p []byte) (int, error) {
	r.asked.Store(true)
	return r.Conn.Write(p)
}

func (r *replay) Read(p []byte) (int, error) {
	if len(r.first) > 0 {
		n := copy(p, r.first)
		if r.first = r.first[n:]; len(r.first) == 0 {
			r.first = nil
		}
		return n, nil
	}
	n, err := r.Conn.Read(p)
	if n > 0 && !r.done && r.asked.Load() {
		r.done = true
		r.answered()
	}
	return n, err
}

// CloseWrite passes the end of one direction on.
func (r *replay) CloseWrite() error {
	if half, ok := r.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return r.Conn.Close()
}

package clusterdns

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/accept"
)

// Bounds of connections: how many there are at once, and how long one may say nothing.
const (
	maxConns = 128
	idle     = 10 * time.Second
)

// Serve answers what comes by datagram and by TCP until ctx is done, and closes both then.
func (r *Resolver) Serve(ctx context.Context, datagrams net.PacketConn, streams net.Listener) error {
	defer context.AfterFunc(ctx, func() {
		_ = datagrams.Close()
		_ = streams.Close()
	})()
	var both sync.WaitGroup
	both.Go(func() { r.serveDatagrams(datagrams) })
	both.Go(func() { r.serveStreams(ctx, streams) })
	both.Wait()
	return nil
}

func (r *Resolver) serveDatagrams(c net.PacketConn) {
	buf := make([]byte, maxStream)
	for {
		n, from, err := c.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		if answer := r.Answer(buf[:n], 0); answer != nil {
			_, _ = c.WriteTo(answer, from) // who has gone does not hear it
		}
	}
}

func (r *Resolver) serveStreams(ctx context.Context, l net.Listener) {
	room := make(chan struct{}, maxConns)
	for {
		room <- struct{}{}
		c, err := accept.Next(ctx, l, nil)
		if err != nil {
			return
		}
		go func() {
			defer func() { <-room }()
			r.serveStream(ctx, c)
		}()
	}
}

func (r *Resolver) serveStream(ctx context.Context, c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	for {
		if c.SetDeadline(time.Now().Add(idle)) != nil {
			return
		}
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, question); err != nil {
			return
		}
		answer := r.Answer(question, maxStream)
		if answer == nil {
			return
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

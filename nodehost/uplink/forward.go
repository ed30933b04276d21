package uplink

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/accept"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/crowd"
)

// holdTime is how long a connection waits for a tunnel: as long as client-go waits for TLS
// (client-go/transport, 10 s), and a little less, so that it is told and not left.
const holdTime = 9 * time.Second

// maxHeld is how many connections wait for a tunnel at a time. When there are more, the one that has
// waited longest goes.
const maxHeld = 256

// Forward serves the apiserver on a listener until ctx is done or the listener is closed; a machine
// that is out of file descriptors for a while does not end it. Without a tunnel connections are held
// for a while: who is let in when the tunnel comes back need not come again, which reflectors do up to
// 30 s later. Then they are closed.
func (l *Link) Forward(ctx context.Context, ln net.Listener) error {
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	held := crowd.Crowd{PerSource: maxHeld, All: maxHeld}
	for {
		conn, err := accept.Next(ctx, ln, func(err error, pause time.Duration) {
			l.log.Error("accept a connection to the apiserver", "error", err, "again", pause)
		})
		if err != nil {
			return nil
		}
		waiting, stop := context.WithCancel(ctx)
		guest := held.Enter("here", stop)
		go func() {
			defer stop()
			to, err := l.dialWhenUp(waiting)
			guest.Leave()
			if err != nil {
				_ = conn.Close()
				return
			}
			answered := splice(conn, to, l.onAnswer)
			// A tunnel that was lost meanwhile says so itself.
			if !answered && ctx.Err() == nil && l.up() {
				l.onAnswer(false)
			}
		}()
	}
}

// dialWhenUp is Dial for somebody who can wait.
func (l *Link) dialWhenUp(ctx context.Context) (net.Conn, error) {
	return l.openWhenUp(ctx, tunnel.KindAPI)
}

// OpenPod opens a stream to the cluster that is to lead to an in-tab pod (nodedial.DialPod). Without a
// tunnel it waits as long as a connection of Forward does.
func (l *Link) OpenPod(ctx context.Context) (net.Conn, error) {
	return l.openWhenUp(ctx, tunnel.KindPod)
}

func (l *Link) openWhenUp(ctx context.Context, kind tunnel.Kind) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.hold)
	defer cancel()
	if _, err := l.Up(ctx); err != nil {
		return nil, err
	}
	return l.client.Open(tunnel.Header{Kind: kind})
}

func (l *Link) up() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Up
}

// splice joins a client to the cluster until both have ended; on the first answer it calls tell, with
// true.
func splice(client, cluster net.Conn, tell func(bool)) (answered bool) {
	tcp, ok := client.(*net.TCPConn)
	if !ok {
		_ = tunnel.Splice(client, cluster)
		return true // nobody knows
	}
	told := &answers{TCPConn: tcp, tell: tell}
	_ = tunnel.Splice(told, cluster)
	return told.first.Load()
}

// answers is a client's connection that is written to when somebody answers.
type answers struct {
	*net.TCPConn
	tell  func(bool)
	first atomic.Bool
}

func (a *answers) Write(b []byte) (int, error) {
	if !a.first.Swap(true) {
		a.tell(true)
	}
	return a.TCPConn.Write(b)
}

package cluster

import (
	"net"
	"syscall"
	"testing"
)

// fullListener is a listener of a machine that is out of files for its first tries.
type fullListener struct {
	net.Listener
	tries int
	next  chan net.Conn
}

func (f *fullListener) Accept() (net.Conn, error) {
	if f.tries--; f.tries >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	if conn := <-f.next; conn != nil {
		return conn, nil
	}
	return nil, net.ErrClosed
}

// TestTheAPIServersPortOutlastsAMachineOutOfFiles: three tries that fail end it for nobody.
func TestTheAPIServersPortOutlastsAMachineOutOfFiles(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	f := &fullListener{tries: 3, next: make(chan net.Conn, 1)}
	f.next <- here
	l := newListener(f)
	if conn, err := l.Accept(); err != nil || conn != here {
		t.Errorf("got %v, %v", conn, err)
	}
	close(f.next)
	for range 2 {
		if _, err := l.Accept(); err == nil {
			t.Error("a closed listener gave a connection")
		}
	}
}

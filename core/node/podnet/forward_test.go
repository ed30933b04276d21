package podnet

import (
	"io"
	"net"
	"syscall"
	"testing"
)

// full is a listener of a machine that is out of files for its first tries.
type full struct {
	net.Listener
	tries int
}

func (f *full) Accept() (net.Conn, error) {
	if f.tries--; f.tries >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return f.Listener.Accept()
}

// TestAPortOutlastsAMachineOutOfFiles: it leads to its pod again when there are files again.
func TestAPortOutlastsAMachineOutOfFiles(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Forward(&full{l, 3}, func(net.Conn) (net.Conn, error) {
			here, there := net.Pipe()
			go func() {
				_, _ = io.WriteString(there, "pod")
				_ = there.Close()
			}()
			return here, nil
		})
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got, err := io.ReadAll(conn); string(got) != "pod" {
		t.Errorf("got %q, %v", got, err)
	}
	_ = l.Close()
	<-ended
}

package overlay

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// BenchmarkThroughput sends bytes over one TCP connection between two machines, and between pods
// of theirs by each kind of way:
//
//	go test -run Nothing -bench Throughput ./nodehost/overlay
func BenchmarkThroughput(b *testing.B) {
	lan := begin(b)
	local := newNode(b, lan.Host(b, "192.168.1.11/24")).start(b)
	near := newNode(b, lan.Host(b, "192.168.1.12/24")).start(b)
	far := newNode(b, lan.Host(b, "192.168.2.13/24")).start(b)
	for _, n := range []*node{near, far} {
		local.process.WaitFor(b, "way to "+n.config.Node)
	}
	from, _ := local.pod(b, 1450)
	for _, c := range []struct {
		name     string
		from, to *testnet.Namespace
		ip       string
	}{
		{"machines", local.Namespace, near.Namespace, near.IP()},
		{name: "same-machine"}, {name: "route"}, {name: "vxlan"},
	} {
		switch c.name {
		case "same-machine":
			c.from = from
			c.to, c.ip = local.pod(b, 1450)
		case "route":
			c.from = from
			c.to, c.ip = near.pod(b, 1450)
		case "vxlan":
			c.from = from
			c.to, c.ip = far.pod(b, 1450)
		}
		b.Run(c.name, func(b *testing.B) { throughput(b, c.from, c.to, c.ip) })
	}
}

func throughput(b *testing.B, from, to *testnet.Namespace, ip string) {
	l := to.Listen(b, ip+":5001")
	received := make(chan int64, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, c)
		received <- n
	}()
	var c net.Conn
	eventually.OK(b, "a connection", func() (err error) {
		c, err = from.Dial("tcp", ip+":5001")
		return err
	})
	chunk := make([]byte, 1<<20)
	b.SetBytes(int64(len(chunk)))
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	for b.Loop() {
		if _, err := c.Write(chunk); err != nil {
			b.Fatal(err)
		}
	}
	_ = c.Close()
	if got := <-received; got < int64(b.N)*int64(len(chunk)) {
		b.Errorf("%d bytes came", got)
	}
}

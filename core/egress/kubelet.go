package egress

import (
	"errors"
	"net"
	"strconv"
	"syscall"

	"k8s.io/kubernetes/pkg/cluster/ports"
)

// kubeletPort is where every kubelet serves, real ones too.
var kubeletPort = strconv.Itoa(ports.KubeletPort)

// kubeletConn is a connection to a kubelet. To write to one that has closed it succeeds, as it does over a network, where
// who has gone is heard of by reading: a kubelet closes an exec as soon as its program has ended, and says last how. What
// the client says meanwhile (that its input is over) cannot be written any more; and upstream's proxy between the two
// (apimachinery, pkg/util/proxy/upgradeaware.go) closes both ways at the first end of either, which was the writing one.
type kubeletConn struct{ net.Conn }

func (c *kubeletConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return len(p), nil
	}
	return n, err
}

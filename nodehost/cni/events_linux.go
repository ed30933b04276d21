package cni

import (
	"encoding/json"
	"fmt"
	"net"
	"os"

	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
)

// events is the tap on the plugin's calls: a socket that the plugin writes to if it is there.
type events struct{ conn *net.UnixConn }

func listen(path string) (*events, error) {
	_ = os.Remove(path) // of an agent that was killed
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("listen to the plugin's events: %w", err)
	}
	return &events{c}, nil
}

// run tells of each event until the socket is closed.
func (l *events) run(tell func(plugin.Event)) {
	buf := make([]byte, 64<<10)
	for {
		n, err := l.conn.Read(buf)
		if err != nil {
			return
		}
		var e plugin.Event
		if json.Unmarshal(buf[:n], &e) == nil {
			tell(e)
		}
	}
}

func (l *events) close() { _ = l.conn.Close() }

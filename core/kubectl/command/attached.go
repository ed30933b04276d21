package command

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	gorilla "github.com/gorilla/websocket"
	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/transport/websocket"

	"github.com/tabernetes/tabernetes/core/program"
)

// attached gives `run -it` and `debug -it` the command's terminal. They attach by options that
// they make themselves, and believe that there is none: so it is asked for where the request
// goes out.
type attached struct {
	terminal program.Terminal
	mu       sync.Mutex
	asked    bool // by -i and -t
	raw      bool
}

// noTerminal is upstream's word for it (k8s.io/kubectl/pkg/cmd/exec, SetupTTY).
const noTerminal = "Unable to use a TTY - input is not a terminal or the right kind of file\n"

// watch notes whether the commands below root are to have a terminal.
func (a *attached) watch(root *cobra.Command) error {
	if a.terminal == nil {
		return nil
	}
	for _, name := range []string{"run", "debug"} {
		c, err := find(root, name)
		if err != nil {
			return err
		}
		c.PreRun = func(c *cobra.Command, _ []string) {
			stdin, _ := c.Flags().GetBool("stdin")
			tty, _ := c.Flags().GetBool("tty")
			a.mu.Lock()
			defer a.mu.Unlock()
			a.asked = stdin && tty
		}
	}
	return nil
}

// wrapper is the innermost wrapper of the transport.
func (a *attached) wrapper() transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper {
		socket, ok := next.(*websocket.RoundTripper)
		if !ok {
			return next
		}
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			a.mu.Lock()
			ask := a.asked && strings.HasSuffix(r.URL.Path, "/attach")
			a.mu.Unlock()
			if !ask {
				return socket.RoundTrip(r)
			}
			r = r.Clone(r.Context())
			r.URL = withTTY(r.URL)
			response, err := socket.RoundTrip(r)
			if err == nil {
				a.begin(socket.Conn)
			}
			return response, err
		})
	}
}

// begin sends the terminal's size, while nobody else writes yet, and turns it raw.
func (a *attached) begin(conn *gorilla.Conn) {
	cols, rows := a.terminal.Size()
	size, err := json.Marshal(remotecommand.TerminalSize{Width: uint16(cols), Height: uint16(rows)})
	if err == nil {
		_ = conn.WriteMessage(gorilla.BinaryMessage, append([]byte{resizeChannel}, size...))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.raw = true
	a.terminal.Raw(true)
}

// resizeChannel is the first byte of a message with a size
// (k8s.io/apimachinery/pkg/util/remotecommand, StreamType; k8s.io/client-go/tools/remotecommand).
const resizeChannel = 4

// end gives the terminal back.
func (a *attached) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.raw {
		a.terminal.Raw(false)
	}
}

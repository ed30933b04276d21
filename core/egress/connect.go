package egress

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"sigs.k8s.io/yaml"
)

// Some of what the apiserver dials gets its dialer from upstream's options alone, which know a file of egress selection
// and no dialer of ours: the webhooks and issuers that are asked who somebody is and what they may do. So the router is
// offered in upstream's own way, too: as proxies by CONNECT at sockets that only the process's owner may open.

// Connect serves such proxies until ctx is done, and returns the path of the file that names them. What fails leaves
// nothing behind.
func (r *Router) Connect(ctx context.Context) (file string, err error) {
	dir, err := os.MkdirTemp("", "egress-")
	if err != nil {
		return "", err
	}
	var servers []*http.Server
	end := func() {
		for _, s := range servers {
			_ = s.Close()
		}
		_ = os.RemoveAll(dir)
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	type named map[string]any
	var selections []named
	// Etcd's is in the map as well, for whoever looks there: upstream takes all of one place.
	for i, s := range []struct {
		name string
		dial utilnet.DialFunc
	}{{"controlplane", r.DialAsServer}, {"cluster", r.DialAsServer}, {"etcd", r.dialStore}} {
		socket := filepath.Join(dir, strconv.Itoa(i))
		l, err := net.Listen("unix", socket)
		if err != nil {
			return "", err
		}
		server := &http.Server{
			Handler: connect(s.dial), ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
			ErrorLog: log.New(io.Discard, "", 0),
		}
		servers = append(servers, server)
		go func() { _ = server.Serve(l) }()
		selections = append(selections, named{"name": s.name, "connection": named{
			"proxyProtocol": "HTTPConnect", "transport": named{"uds": named{"udsName": socket}},
		}})
	}
	text, err := yaml.Marshal(named{"apiVersion": "apiserver.k8s.io/v1beta1", "kind": "EgressSelectorConfiguration", "egressSelections": selections})
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "egress.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", err
	}
	context.AfterFunc(ctx, end)
	return file, nil
}

// connect leads each connection on to the address that its request names.
func connect(dial utilnet.DialFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
			return
		}
		there, err := dial(r.Context(), "tcp", r.Host)
		if err != nil {
			// Upstream says the status only: the first line has why.
			refuse(w, err)
			return
		}
		defer there.Close()
		here, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
			return
		}
		done := make(chan struct{}, 2)
		carry := func(to io.Writer, from io.Reader) { _, _ = io.Copy(to, from); done <- struct{}{} }
		go carry(there, buffered)
		go carry(here, there)
		<-done
	})
}

// refuse answers with an error in the status line, which is all that upstream tells of it.
func refuse(w http.ResponseWriter, err error) {
	conn, _, hijacked := http.NewResponseController(w).Hijack()
	if hijacked != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 502 "+oneLine(err)+"\r\nContent-Length: 0\r\n\r\n")
}

// oneLine is an error as a status line takes it.
func oneLine(err error) string {
	text := []byte(err.Error())
	if len(text) > 500 {
		text = text[:500]
	}
	for i, c := range text {
		if c < ' ' || c > '~' {
			text[i] = ' '
		}
	}
	return string(text)
}

package image

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxNettestPeers bounds what a nettest server remembers of those who write to it.
const maxNettestPeers = 1000

// nettest is what agnhost's nettest knows, under the names that its clients read
// (test/images/agnhost/nettest). It looks for no peers of its own: those who are told of it write to it.
type nettest struct {
	mu                   sync.Mutex
	Hostname             string
	Sent, Received       map[string]int
	Errors, Log          []string
	StillContactingPeers bool
}

func agnhostNettest(p *program.Process) http.Handler {
	state := &nettest{Hostname: p.Hostname, Received: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/read", func(w http.ResponseWriter, _ *http.Request) {
		state.mu.Lock()
		defer state.mu.Unlock()
		_ = json.NewEncoder(w).Encode(state) // a client that has gone
	})
	mux.HandleFunc("/write", func(w http.ResponseWriter, r *http.Request) {
		var post struct{ Source string }
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&post)
		state.note(post.Source, err)
		fmt.Fprintf(w, "{\"Hostname\":%q}\n", state.Hostname)
	})
	mux.HandleFunc("/status", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "fail") }) // it has no peers
	return mux
}

// note remembers who wrote, or what was wrong with it.
func (s *nettest) note(source string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil && source == "":
		err = fmt.Errorf("%s: Got request with no source", s.Hostname)
	case err == nil && (len(s.Received) < maxNettestPeers || s.Received[source] > 0):
		s.Received[source]++
		return
	case err == nil:
		err = fmt.Errorf("%s: more than %d sources", s.Hostname, maxNettestPeers)
	}
	if len(s.Errors) < maxNettestPeers {
		s.Errors = append(s.Errors, err.Error())
	}
}

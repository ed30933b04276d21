package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// askPatience is how long a cluster's owner may take to agree.
const askPatience = 5 * time.Minute

// list answers with the clusters.
func (h *Hub) list(w http.ResponseWriter, _ *http.Request) { answer(w, h.Clusters()) }

// accessRequest is the body of a request for access; Question goes to the cluster as it is.
type accessRequest struct {
	Cluster  string          `json:"cluster"`
	Question json.RawMessage `json:"question"`
}

// accessAnswer is what comes back; Answer is the cluster's.
type accessAnswer struct {
	Cluster Cluster         `json:"cluster"`
	Answer  json.RawMessage `json:"answer"`
}

// ask passes a request for access on to a cluster, whose owner decides.
func (h *Hub) ask(w http.ResponseWriter, r *http.Request) {
	var req accessRequest
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience))
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, tunnel.MaxMessage)).Decode(&req); err != nil {
		http.Error(w, "the body is not a request for access: "+err.Error(), http.StatusBadRequest)
		return
	}
	// The owner takes longer than a server's usual deadlines.
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Now().Add(askPatience + time.Minute))
	s, _, err := h.clusters.find(r.Context(), req.Cluster)
	if err != nil {
		http.Error(w, h.choice(req.Cluster, err), http.StatusNotFound)
		return
	}
	var got json.RawMessage
	asking, cancel := context.WithTimeout(r.Context(), askPatience)
	defer cancel()
	err = s.Call(asking, tunnel.CallAccess, req.Question, &got)
	if refused, ok := errors.AsType[*tunnel.CallError](err); ok {
		http.Error(w, refused.Message, http.StatusForbidden)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	for _, c := range h.Clusters() {
		if c.Name == req.Cluster || req.Cluster == "" && c.Attached {
			answer(w, accessAnswer{c, got})
			return
		}
	}
	http.Error(w, "the cluster has gone", http.StatusBadGateway)
}

// choice says why a cluster was not found, and which are there, for who has the pairing secret and may list them.
func (h *Hub) choice(name string, err error) string {
	var names []string
	for _, c := range h.Clusters() {
		if c.Attached {
			names = append(names, c.Name)
		}
	}
	switch {
	case len(names) == 0:
		return "no cluster is attached: open the page's address, which the hub printed, in a browser"
	case name == "":
		return fmt.Sprintf("clusters of several tabs are attached (%s): say which one, by --cluster NAME", strings.Join(names, ", "))
	}
	return fmt.Sprintf("%v; attached: %s", err, strings.Join(names, ", "))
}

func answer(w http.ResponseWriter, x any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(x)
}

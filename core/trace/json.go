package trace

import (
	"encoding/json"
	"fmt"
)

// wire is a step as the page and an export have it: TraceStep of web/rpc/protocol.ts.
type wire struct {
	ID        ID              `json:"id"`
	At        float64         `json:"at"`
	Took      float64         `json:"took,omitempty"`
	Component string          `json:"component"`
	Kind      string          `json:"kind"`
	Chapter   Chapter         `json:"chapter"`
	Object    *wireObject     `json:"object,omitempty"`
	Cause     ID              `json:"cause,omitempty"`
	Causes    []ID            `json:"causes,omitempty"`
	Inferred  bool            `json:"inferred,omitempty"`
	Node      string          `json:"node,omitempty"`
	Told      bool            `json:"told,omitempty"`
	Details   json.RawMessage `json:"details,omitempty"` // always last, and written by JSON
	Cut       string          `json:"cut,omitempty"`
}

// wireObject is TraceObject of web/rpc/protocol.ts.
type wireObject struct {
	Group           string `json:"group,omitempty"`
	Version         string `json:"version,omitempty"`
	Resource        string `json:"resource,omitempty"`
	Subresource     string `json:"subresource,omitempty"`
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name,omitempty"`
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// maxDetails bounds one step's details as JSON, in bytes.
const maxDetails = 64 << 10

// JSON is the step on one line. Details that are too long, or cannot be made JSON, are left out, and
// it is said.
func (s *Step) JSON(details bool) []byte {
	w := wire{
		ID: s.ID, At: float64(s.At.UnixMicro()) / 1000, Took: float64(s.Took.Microseconds()) / 1000,
		Component: s.Component, Kind: s.Kind.Name, Chapter: s.Kind.Chapter,
		Cause: s.Cause, Causes: s.Causes, Inferred: s.Inferred, Node: s.Node, Told: s.Told, Cut: s.Cut,
	}
	if s.Object != (Object{}) {
		o := wireObject(s.Object)
		w.Object = &o
	}
	var text []byte
	if details && s.Details != nil {
		var err error
		switch text, err = json.Marshal(s.Details); {
		case err != nil:
			text, w.Cut = nil, join(w.Cut, "details: "+err.Error())
		case len(text) > maxDetails:
			text, w.Cut = nil, join(w.Cut, fmt.Sprintf("details: %d bytes are more than %d", len(text), maxDetails))
		}
	}
	line, err := json.Marshal(w)
	if err != nil { // no field of it can fail
		panic(fmt.Sprintf("trace: %v", err))
	}
	if text != nil { // put in as it is: as a RawMessage it would be read once more
		line = append(append(append(line[:len(line)-1], `,"details":`...), text...), '}')
	}
	return line
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

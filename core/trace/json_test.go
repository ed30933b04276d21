package trace

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// wire is what a step's line has to be for encoding/json: TraceStep of web/rpc/protocol.ts, to which
// wasm/port's TestProtocolIsMirrored holds it.
type wire struct {
	ID        ID              `json:"id"`
	At        float64         `json:"at"`
	Took      float64         `json:"took,omitempty"`
	Component string          `json:"component"`
	Kind      string          `json:"kind"`
	Variant   string          `json:"variant,omitempty"`
	Chapter   Chapter         `json:"chapter"`
	Object    *wireObject     `json:"object,omitempty"`
	Cause     ID              `json:"cause,omitempty"`
	Causes    []ID            `json:"causes,omitempty"`
	Inferred  bool            `json:"inferred,omitempty"`
	Node      string          `json:"node,omitempty"`
	Told      bool            `json:"told,omitempty"`
	Cut       string          `json:"cut,omitempty"`
	Brief     bool            `json:"brief,omitempty"`
	Details   json.RawMessage `json:"details,omitempty"`
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

type long struct {
	Said   string `json:"said"`
	Unsaid string `json:"unsaid"`
}

func (l long) Brief() any {
	return struct {
		Said string `json:"said"`
	}{l.Said}
}

// TestALineIsWhatJSONWouldWrite: what is written by hand is read by encoding/json, knows no other field,
// loses nothing, and names with quotes and markup stay text.
func TestALineIsWhatJSONWouldWrite(t *testing.T) {
	kind := &Kind{Name: "test.kind", Chapter: "kubelet"}
	variant := &Kind{Name: "test.kind", Chapter: "kubelet", Variant: "a variant"}
	at := time.Date(2026, 11, 22, 10, 11, 12, 345678000, time.UTC)
	hostile := "a\"b\\c\n<script>\u2028\x00\xff"
	for _, s := range []*Step{
		{ID: 1, At: at, Kind: kind, Component: "kubelet"},
		{
			ID: 1 << 40, At: at, Took: 1234567 * time.Microsecond, Kind: variant, Component: hostile,
			Object: Object{"g", "v", "r", "s", hostile, "n", "u", "7"}, Cause: 3, Causes: []ID{4, 5},
			Inferred: true, Node: hostile, Told: true, Cut: hostile, Details: long{hostile, "more"},
		},
	} {
		for name, line := range map[string][]byte{"whole": s.JSON(true), "without details": s.JSON(false), "brief": s.BriefJSON()} {
			var w wire
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&w); err != nil {
				t.Errorf("%s: %v: %s", name, err, line)
				continue
			}
			again, err := json.Marshal(w)
			if err != nil {
				t.Fatal(err)
			}
			var a, b any
			if json.Unmarshal(line, &a) != nil || json.Unmarshal(again, &b) != nil {
				t.Fatalf("%s: %s", name, line)
			}
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			if !bytes.Equal(x, y) {
				t.Errorf("%s:\n%s\nand by encoding/json\n%s", name, x, y)
			}
			if w.At != float64(at.UnixMicro())/1000 || w.ID != s.ID || w.Brief != (name == "brief" && s.Details != nil) || w.Object != nil && w.Object.Name != s.Object.Name {
				t.Errorf("%s: %+v", name, w)
			}
			if has := bytes.Contains(line, []byte("unsaid")); has != (name == "whole" && s.Details != nil) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

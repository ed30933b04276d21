package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// maxDetails bounds one step's details as JSON, in bytes, and maxBrief those that are told unasked.
const (
	maxDetails = 64 << 10
	maxBrief   = 4 << 10
)

// Briefer are details of which a list says less than they hold, or which are costly to make JSON.
type Briefer interface {
	// Brief is what a line about the step says: a few words and numbers, under the names that they
	// have in the whole; nil if there is nothing to say.
	Brief() any
}

// JSON is the step on one line (TraceStep of web/rpc/protocol.ts). Details that are too long, or cannot be
// made JSON, are left out, and it is said.
func (s *Step) JSON(details bool) []byte {
	var text []byte
	said := s.Cut
	if details && s.Details != nil {
		var err error
		switch text, err = json.Marshal(s.Details); {
		case err != nil:
			text, said = nil, join(said, "details: "+err.Error())
		case len(text) > maxDetails:
			text, said = nil, join(said, fmt.Sprintf("details: %d bytes are more than %d", len(text), maxDetails))
		}
	}
	return s.line(text, said, false)
}

// BriefJSON is the step on one line with what is to be said of it in a list. It is told whether that is
// less than its details, which are made when somebody asks for the step (Bus.Find).
func (s *Step) BriefJSON() []byte {
	details, less := s.Details, false
	if b, ok := details.(Briefer); ok {
		details, less = b.Brief(), true
	}
	if details == nil {
		return s.line(nil, s.Cut, less)
	}
	text, err := json.Marshal(details)
	if err != nil || len(text) > maxBrief {
		text, less = nil, true
	}
	return s.line(text, s.Cut, less)
}

// line is written by hand: a page that follows has thousands of them made, of which encoding/json's
// reflection would be the larger part.
func (s *Step) line(details []byte, said string, brief bool) []byte {
	b := make([]byte, 0, 384+len(details))
	b = number(b, `{"id":`, int64(s.ID))
	b = millis(append(b, `,"at":`...), s.At.UnixMicro())
	if took := s.Took.Microseconds(); took != 0 {
		b = millis(append(b, `,"took":`...), took)
	}
	b = word(b, `,"component":`, s.Component)
	b = word(b, `,"kind":`, s.Kind.Name)
	if s.Kind.Variant != "" {
		b = word(b, `,"variant":`, s.Kind.Variant)
	}
	b = word(b, `,"chapter":`, string(s.Kind.Chapter))
	if s.Object != (Object{}) {
		b = append(append(b, `,"object":`...), s.Object.json()...)
	}
	if s.Cause != 0 {
		b = number(b, `,"cause":`, int64(s.Cause))
	}
	if len(s.Causes) > 0 {
		b = append(b, `,"causes":`...)
		for i, id := range s.Causes {
			before := ","
			if i == 0 {
				before = "["
			}
			b = number(b, before, int64(id))
		}
		b = append(b, ']')
	}
	if s.Inferred {
		b = append(b, `,"inferred":true`...)
	}
	if s.Node != "" {
		b = word(b, `,"node":`, s.Node)
	}
	if s.Told {
		b = append(b, `,"told":true`...)
	}
	if said != "" {
		b = word(b, `,"cut":`, said)
	}
	if brief {
		b = append(b, `,"brief":true`...)
	}
	if details != nil {
		b = append(append(b, `,"details":`...), details...)
	}
	return append(b, '}')
}

// json is the object as TraceObject of web/rpc/protocol.ts.
func (o *Object) json() []byte {
	b := append(make([]byte, 0, 192), '{')
	for _, f := range [...]struct{ name, value string }{
		{`"group":`, o.Group},
		{`"version":`, o.Version},
		{`"resource":`, o.Resource},
		{`"subresource":`, o.Subresource},
		{`"namespace":`, o.Namespace},
		{`"name":`, o.Name},
		{`"uid":`, o.UID},
		{`"resourceVersion":`, o.ResourceVersion},
	} {
		if f.value == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = word(b, f.name, f.value)
	}
	return append(b, '}')
}

func number(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(b, name...), n, 10)
}

// millis is a number of microseconds in milliseconds.
func millis(b []byte, micro int64) []byte {
	return strconv.AppendFloat(b, float64(micro)/1000, 'f', -1, 64)
}

// word is a text in JSON. What is not plain goes through encoding/json, which knows each case.
func word(b []byte, name, value string) []byte {
	b = append(b, name...)
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, err := json.Marshal(value)
			if err != nil { // no text can fail
				panic(fmt.Sprintf("trace: %v", err))
			}
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), value...), '"')
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

package port

import "encoding/json"

// In is one message from the page (ToWorker in protocol.ts): the fields that its Type uses.
type In struct {
	Type       string
	ID         int
	Method     string
	Params     json.RawMessage
	Chunk      []byte
	Cols, Rows int
	Signal     string
	Bytes      int
	Ask        int
	Text       *string // nil: the file stays as it is
	Order      json.RawMessage
}

// Out is one message to the page (ToPage in protocol.ts): a JSON-like object, in which []byte
// is a Uint8Array.
type Out map[string]any

// Wire carries messages to the page. Post may be called from any goroutine, and the slices in
// a message belong to it afterwards.
type Wire interface {
	Post(Out) error
}

// Window is how many bytes of data one call may have under way before the page acknowledges
// them: WINDOW in protocol.ts.
const Window = 256 << 10

// Error is an error that says what to do about it.
type Error struct {
	Err error
	// Hint is a sentence for a person.
	Hint string
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap is the error without the hint.
func (e *Error) Unwrap() error { return e.Err }

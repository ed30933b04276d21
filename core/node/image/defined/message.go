package defined

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// kind says what a message is. web/container/message.ts has the same letters.
type kind byte

// What the Worker is told.
const (
	toStart   kind = 'S' // startMessage
	toRequest kind = 'Q' // requestMessage, of the request with that number
	toBody    kind = 'B' // the request's body, whole
	toCredit  kind = 'K' // so many bytes (4, big endian) of an answer, or of output (0), were taken
	toCancel  kind = 'C' // nobody waits for the answer any more; it is still ended by a message
	toSignal  kind = 'G' // the signal's name
	toPing    kind = 'P' // answered by a pong with the same number
	toFile    kind = 'F' // what was asked for with that number
	toNoFile  kind = 'N' // why it is not given
)

// What the Worker says.
const (
	fromReady  kind = 'R' // the module is loaded; with the number 1 it answers requests from now on
	fromStdout kind = 'O'
	fromStderr kind = 'E'
	fromHead   kind = 'H' // headMessage
	fromData   kind = 'D' // a piece of the answer's body
	fromEnd    kind = 'Z' // the answer is complete, or given up after toCancel
	fromBroken kind = 'X' // there will be no more of the answer
	fromExit   kind = 'T' // the number is the exit code
	fromPong   kind = 'P'
	fromFile   kind = 'F' // the content of a file is wanted, by its path
	fromList   kind = 'L' // the names in a directory are wanted, by its path
)

// MaxMessage is how long a message of the Worker's may be, in bytes.
const MaxMessage = 64 << 10

// headLength is what stands before a message's bytes: its kind and its number.
const headLength = 5

// message is one of either side.
type message struct {
	kind kind
	id   uint32
	data []byte
}

func (m message) encode() []byte {
	b := make([]byte, headLength, headLength+len(m.data))
	b[0] = byte(m.kind)
	binary.BigEndian.PutUint32(b[1:], m.id)
	return append(b, m.data...)
}

func decode(b []byte) (message, error) {
	if len(b) < headLength || len(b) > MaxMessage {
		return message{}, fmt.Errorf("a message of %d bytes", len(b))
	}
	return message{kind(b[0]), binary.BigEndian.Uint32(b[1:]), b[headLength:]}, nil
}

// credit is what toCredit says of n bytes.
func credit(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// startMessage is what a container begins with.
type startMessage struct {
	Module   string   `json:"module"`
	Args     []string `json:"args"`
	Env      []string `json:"env"`
	Hostname string   `json:"hostname"`
}

// requestMessage is a request's head.
type requestMessage struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers"`
	// Body says that toBody follows.
	Body bool `json:"body"`
}

// headMessage is an answer's head.
type headMessage struct {
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
}

// asJSON encodes a message of strings, numbers and lists of them, which cannot fail.
func asJSON(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

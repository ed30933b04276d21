package tunnel

import "time"

// What a peer can make this side keep, at most.
const (
	// maxHello is the size of a hello or welcome in bytes.
	maxHello = 4 << 10
	// maxTarget is the size of a stream header's text in bytes.
	maxTarget = 512
	// MaxMessage is the size of one message of a call in bytes, see Session.Call.
	MaxMessage = 64 << 10
	// DefaultMaxStreams is how many streams one session may hold. Each can make a side keep a
	// window of 256 KiB, if it does not read.
	DefaultMaxStreams = 1024
	// maxPings is how many pings of the other side may wait for their answer. Sessions of this
	// package have one or two.
	maxPings = 32
)

// yamux keeps a stream that this side has closed until the other side has, too, or closePatience is
// over. These are counted as well, or a peer would have as many as it likes by not closing.

// mayOpen is how many streams, closed halves among them, there may be for one more to be opened.
func (s *Session) mayOpen() int { return 2*int(s.max.Load()) + fewStreams }

// mayKeep is how many there may be at all: the session ends when the other side makes them more.
func (s *Session) mayKeep() int { return 3*int(s.max.Load()) + 2*fewStreams }

// fewStreams is for sessions of very few streams.
const fewStreams = 16

// Times after which the other side is taken for gone. They are generous, because a tab that
// compiles or collects garbage answers nobody; who knows better says so with Client.Nudge.
const (
	helloPatience  = 30 * time.Second // for a hello or a welcome
	headerPatience = 30 * time.Second // for a stream's header
	writePatience  = 30 * time.Second // for the wire to take a frame, and for a ping's answer
	keepalive      = 15 * time.Second // between two pings
	closePatience  = 30 * time.Second // for the other half of a stream to close
	nudgeLook      = 100 * time.Millisecond
	nudgeLooks     = 12
)

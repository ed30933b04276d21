package tunnel

import (
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"
)

// Kind is what a stream is for.
type Kind uint8

// The kinds of version 1.
const (
	// KindAPI carries a client's connection to the cluster's apiserver; Target is the client's
	// address, "host:port". TLS runs inside.
	KindAPI Kind = 1
	// KindCall carries one question and its answer, both JSON; Target is the method.
	KindCall Kind = 2
	// KindDial carries a connection to an address that a node reaches. A cluster opens it at its
	// hub with Target "ROUTE HOST:PORT"; the hub opens it at the node of that route with Target
	// "HOST:PORT". The node decides.
	KindDial Kind = 3
	// KindRoutes carries which nodes a cluster has, see WriteRoutes. A cluster opens it at its hub and
	// keeps it open.
	KindRoutes Kind = 4
	// KindPod carries a node's connection to a pod of an in-tab node, which both sides prove to each other
	// (core/nodedial). A node opens it at its hub, and the hub at the cluster if that has such a node.
	KindPod Kind = 5
	// KindVisit carries a browser's HTTP connection to a Service of the cluster; Target is a VisitTarget. A hub
	// opens it, if it listens on loopback only. Where it cannot lead, the cluster answers in HTTP why.
	KindVisit Kind = 6
	// KindOutside carries a connection of the cluster's API server to an address outside; Target is what
	// ParseOutside gives. A cluster opens it at its hub, for an address that its owner has named, and the hub
	// leads it on if whoever runs it has named it as well.
	KindOutside Kind = 7
)

// Header is what a stream begins with.
type Header struct {
	Kind   Kind
	Target string
}

// write writes the header: kind, length of the target in 16 bits big-endian, target.
func (h Header) write(w io.Writer) error {
	if len(h.Target) > maxTarget {
		return fmt.Errorf("a stream's target of %d bytes is too long: %d are allowed", len(h.Target), maxTarget)
	}
	b := append([]byte{byte(h.Kind)}, binary.BigEndian.AppendUint16(nil, uint16(len(h.Target)))...)
	_, err := w.Write(append(b, h.Target...))
	return err
}

// readHeader reads a header and not one byte more.
func readHeader(r io.Reader) (Header, error) {
	var fixed [3]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return Header{}, err
	}
	n := binary.BigEndian.Uint16(fixed[1:])
	if n > maxTarget {
		return Header{}, fmt.Errorf("a target of %d bytes was announced: %d are allowed", n, maxTarget)
	}
	target := make([]byte, n)
	if _, err := io.ReadFull(r, target); err != nil {
		return Header{}, err
	}
	if !utf8.Valid(target) {
		return Header{}, fmt.Errorf("the target %q is not text", target)
	}
	return Header{Kind(fixed[0]), string(target)}, nil
}

// A stream's other side answers the header with verdictTaken, or with verdictRefused and then
// a message as of writeMessage.
const (
	verdictTaken   = 0
	verdictRefused = 1
)

// readVerdict reads the answer to a header; an error that is a Refusal is the other side's.
func readVerdict(r io.Reader) error {
	var b [1]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return err
	}
	switch b[0] {
	case verdictTaken:
		return nil
	case verdictRefused:
		var reason string
		if err := readMessage(r, &reason, maxHello); err != nil {
			return fmt.Errorf("read a refusal: %w", err)
		}
		return &StreamRefusal{reason}
	}
	return fmt.Errorf("a stream was answered with %#x, which means nothing", b[0])
}

// StreamRefusal is why the other side does not want a stream.
type StreamRefusal struct{ Reason string }

func (r *StreamRefusal) Error() string { return "the stream was refused: " + r.Reason }

package tunnel

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"time"
)

// Version of the protocol after the hello: headers, kinds, and what is under them. A side
// speaks every version from MinVersion to Version.
const (
	Version    = 1
	MinVersion = 1
)

// Hello is the first message on a new wire, from the side that dialled.
type Hello struct {
	// Version and MinVersion are what the dialling side speaks.
	Version    int `json:"version"`
	MinVersion int `json:"minVersion"`
	// Name is what the cluster wants to be called; empty leaves it to the hub.
	Name string `json:"name,omitempty"`
	// Instance is a random text that stays the same as long as the cluster lives: a hub knows by
	// it that a new wire is an old cluster. Whoever knows it can take the cluster's place.
	Instance string `json:"instance"`
	// Run is a random text of one Client.Run. Two of one instance are a cluster that was opened twice: the
	// hub keeps the newer one, and refuses the older one for good. Empty in earlier versions.
	Run string `json:"run,omitempty"`
	// Secret is the pairing secret of the hub.
	Secret string `json:"secret"`
}

// Welcome is the hub's answer.
type Welcome struct {
	// Version is the one that both sides go on with.
	Version int `json:"version,omitempty"`
	// Name is what the cluster is called.
	Name string `json:"name,omitempty"`
	// Addresses are where clients reach the cluster's apiserver: "host:port", of which the first
	// needs ServerName in the TLS handshake, and the others do not.
	Addresses []string `json:"addresses,omitempty"`
	// ServerName is the name that the hub tells this cluster from others by.
	ServerName string `json:"serverName,omitempty"`
	// CertHash is the pin of the hub's own certificate, if programs need one: nodehost/hubtls.
	CertHash string `json:"certHash,omitempty"`
	// Route is what a cluster names a node by when it dials through the hub; of nodes only.
	Route string `json:"route,omitempty"`
	// Seen is the IP address that the hub sees a node come from; of nodes only.
	Seen string `json:"seen,omitempty"`
	// Refusal says why there is no session; all other fields are then empty.
	Refusal string `json:"refusal,omitempty"`
	// Final says that asking again would change nothing.
	Final bool `json:"final,omitempty"`
}

// Refusal is the error of a dialler that the hub does not want.
type Refusal struct {
	Reason string
	// Final says that asking again would change nothing.
	Final bool
}

func (r *Refusal) Error() string { return "the hub refused: " + r.Reason }

// Domain is what clusters' server names end with: NAME.tabernetes.internal. The top-level name
// is reserved for private use, so that it is nobody else's.
const Domain = "tabernetes.internal"

// ServerName is the name that clients of a cluster say in the TLS handshake.
func ServerName(name string) string { return name + "." + Domain }

// AnyServerName is what a cluster's certificate holds, so that it fits whatever its name is.
const AnyServerName = "*." + Domain

// names are DNS labels, because the name is part of a host name.
var names = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// ValidName reports whether a cluster may be called so: a DNS label of at most 40 bytes.
func ValidName(name string) bool { return names.MatchString(name) }

// instances have at least 128 bits, written in any of the usual ways.
var instances = regexp.MustCompile(`^[A-Za-z0-9_-]{22,64}$`)

// check says what is wrong with a hello before anything in it is used, and the version to use.
func (h Hello) check() (version int, err error) {
	switch {
	case h.Version < MinVersion:
		return 0, &Refusal{fmt.Sprintf("this side speaks version %d of the protocol and the hub %d; reload the page", h.Version, Version), true}
	case h.MinVersion > Version:
		return 0, &Refusal{fmt.Sprintf("this side speaks no version below %d of the protocol and the hub none above %d; update the hub", h.MinVersion, Version), true}
	case h.Name != "" && !ValidName(h.Name):
		return 0, &Refusal{"a cluster's name has up to 40 small letters, digits and hyphens", true}
	case h.Run != "" && !instances.MatchString(h.Run):
		return 0, &Refusal{"the run is not a random text of 22 to 64 characters", true}
	case !instances.MatchString(h.Instance):
		return 0, &Refusal{"the instance is not a random text of 22 to 64 characters", true}
	}
	return min(h.Version, Version), nil
}

// greet sends hello and waits for the answer.
func greet(ctx context.Context, wire net.Conn, h Hello) (Welcome, error) {
	h.Version, h.MinVersion = Version, MinVersion
	defer guard(ctx, wire, helloPatience)()
	if err := writeMessage(wire, h, maxHello); err != nil {
		return Welcome{}, fmt.Errorf("say hello to the hub: %w", err)
	}
	var w Welcome
	if err := readMessage(wire, &w, maxHello); err != nil {
		return Welcome{}, fmt.Errorf("read the hub's welcome: %w", err)
	}
	if w.Refusal != "" {
		return Welcome{}, &Refusal{w.Refusal, w.Final}
	}
	if w.Name != "" && !ValidName(w.Name) {
		return Welcome{}, fmt.Errorf("read the hub's welcome: %q is no cluster's name", w.Name)
	}
	if w.Version < MinVersion || w.Version > Version {
		return Welcome{}, fmt.Errorf("read the hub's welcome: version %d was not offered", w.Version)
	}
	return w, nil
}

// Accept takes the hello from a new wire and answers with what judge says of it. An error of
// judge is a refusal; only a Refusal's reason is told to the other side.
func Accept(ctx context.Context, wire net.Conn, judge func(Hello) (Welcome, error)) (Hello, Welcome, error) {
	defer guard(ctx, wire, helloPatience)()
	var h Hello
	if err := readMessage(wire, &h, maxHello); err != nil {
		return h, Welcome{}, fmt.Errorf("read hello: %w", err)
	}
	version, err := h.check()
	var w Welcome
	if err == nil {
		w, err = judge(h)
	}
	if err != nil {
		answer := Welcome{Refusal: "the hub failed"}
		if r, ok := errors.AsType[*Refusal](err); ok {
			answer = Welcome{Refusal: r.Reason, Final: r.Final}
		}
		return h, Welcome{}, errors.Join(err, writeMessage(wire, answer, maxHello))
	}
	w.Version = version
	if err := writeMessage(wire, w, maxHello); err != nil {
		return h, w, fmt.Errorf("send welcome: %w", err)
	}
	return h, w, nil
}

// guard bounds what follows on the wire by ctx and patience. The returned function ends that.
func guard(ctx context.Context, wire net.Conn, patience time.Duration) (end func()) {
	_ = wire.SetDeadline(time.Now().Add(patience))
	stop := context.AfterFunc(ctx, func() { _ = wire.SetDeadline(time.Unix(1, 0)) })
	return func() {
		if stop() {
			_ = wire.SetDeadline(time.Time{})
		}
	}
}

// writeMessage writes x as JSON behind its length in bytes, 32 bits big-endian.
func writeMessage(w io.Writer, x any, limit int) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	if len(text) > limit {
		return fmt.Errorf("a message of %d bytes is too long: %d are allowed", len(text), limit)
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

// readMessage reads what writeMessage wrote, and not one byte more.
func readMessage(r io.Reader, into any, limit int) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > uint32(limit) {
		return fmt.Errorf("a message of %d bytes was announced: %d are allowed", n, limit)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

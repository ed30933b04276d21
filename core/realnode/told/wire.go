package told

import (
	"encoding/json"

	"github.com/tabernetes/tabernetes/core/node/cnitrace"
)

// MaxLine bounds a line, in bytes.
const MaxLine = 48 << 10

// How much a node may tell: the first of a while, and each second on end. A node that starts a hundred
// pods at once tells some fifteen steps of each within half a minute.
const (
	StepsAtOnce    = 3000
	StepsPerSecond = 100
	BytesAtOnce    = 6 << 20
	BytesPerSecond = 200 << 10
)

// Ask is what the cluster writes to have the node's clock; the node answers each with a line.
const Ask = '?'

// Line is a line of what a node writes: one of these. The first is a Clock, since a node says nothing
// before it is asked.
type Line struct {
	// Clock is the node's, in microseconds since 1970.
	Clock int64 `json:"clock,omitempty"`
	// Missed is how many steps the node could not tell in time.
	Missed int64 `json:"missed,omitempty"`
	Step   *Step `json:"step,omitempty"`
}

// Step is one thing that a node tells.
type Step struct {
	// At is when it began, by the node's clock, in microseconds since 1970; Took is how long it
	// lasted, in microseconds.
	At   int64 `json:"at"`
	Took int64 `json:"took"`
	// Namespace, Pod and UID are of the pod that it is about; empty if it is about the node.
	Namespace string `json:"namespace,omitempty"`
	Pod       string `json:"pod,omitempty"`
	UID       string `json:"uid,omitempty"`
	// CRI is a call of the container runtime, CNI one of a plugin, Net how the node's pods reach others:
	// one of them.
	CRI *CRI `json:"cri,omitempty"`
	CNI *CNI `json:"cni,omitempty"`
	Net *Net `json:"net,omitempty"`
}

// CRI is a call of the container runtime: its messages in protobuf's JSON, without secrets.
type CRI struct {
	Method   string          `json:"method"`
	Request  json.RawMessage `json:"request,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Error    string          `json:"error,omitempty"`
	// Same is how many calls that came out the same were not told before this one: of probes.
	Same int `json:"same,omitempty"`
}

// CNI is a call of one plugin of the chain.
type CNI = cnitrace.Call

// MaxWays bounds how many ways a node tells of.
const MaxWays = 64

// Net is how a node announces itself to others, and the way that it takes to the pods of each.
type Net struct {
	// Pods is the node's pod CIDR; IP, Subnet and MTU are of the interface that others reach it by.
	Pods   string `json:"pods"`
	IP     string `json:"ip"`
	Subnet string `json:"subnet"`
	MTU    int    `json:"mtu"`
	// PodMTU is that of the pods' own interfaces and of the bridge, which leaves room for VXLAN.
	PodMTU int `json:"podMTU,omitempty"`
	// Mode is what it allows: "auto", "vxlan" or "routes". NAT is the address that it is behind.
	Mode string `json:"mode,omitempty"`
	NAT  string `json:"nat,omitempty"`
	Ways []Way  `json:"ways,omitempty"`
	// More is how many ways there are besides.
	More int `json:"more,omitempty"`
}

// Way is the way to the pods of one other node.
type Way struct {
	Node string `json:"node"`
	// Pods is that node's pod CIDR: the route's destination.
	Pods string `json:"pods"`
	// By is "route", "vxlan" or "none"; Via the address that a packet goes to first, which is that of
	// the other node; MTU how many bytes of a pod's packet fit through.
	By  string `json:"by"`
	Via string `json:"via,omitempty"`
	Why string `json:"why,omitempty"`
	MTU int    `json:"mtu,omitempty"`
}

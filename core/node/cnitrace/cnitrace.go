// Package cnitrace is what is told of a call of a CNI plugin: by core/node/cni of in-tab nodes, by
// core/realnode/told of what real nodes say.
//
// It may import core/trace only.
package cnitrace

import (
	"encoding/json"
	"strings"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Kind is a plugin's call. What a plugin does is CNI's own, of which Kubernetes has no line.
var Kind = trace.Declare(trace.CNI, "cni.plugin", trace.Place{})

// Call is a call of one plugin of the chain, or of one that another delegates to.
type Call struct {
	// Command is ADD, DEL, CHECK, STATUS or GC.
	Command   string `json:"command"`
	Plugin    string `json:"plugin"`
	Sandbox   string `json:"sandbox,omitempty"`
	Interface string `json:"interface,omitempty"`
	// Idle says that the plugin was not called, since the pod wants nothing of it.
	Idle bool `json:"idle,omitempty"`
	// IPs are the addresses given, in CIDR notation.
	IPs []string `json:"ips,omitempty"`
	// Code and Error are CNI's; 0 and "" when it went well.
	Code  uint   `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
	// Netns and Args are CNI_NETNS and CNI_ARGS.
	Netns string `json:"netns,omitempty"`
	Args  string `json:"args,omitempty"`
	// Stdin and Stdout are the configuration that the plugin was given, with the result of the one before it,
	// and the result that it gave back.
	Stdin  json.RawMessage `json:"stdin,omitempty"`
	Stdout json.RawMessage `json:"stdout,omitempty"`
}

// maxIPs bounds how many addresses are told.
const maxIPs = 16

// Bounded is a copy, each text of it cut and valid UTF-8, without what may be a secret in its JSON (conf.go).
func (c *Call) Bounded() *Call {
	out := *c
	out.Stdin, out.Stdout, out.Args = conf(c.Stdin), conf(c.Stdout), pairs(c.Args)
	for _, s := range []*string{&out.Command, &out.Plugin, &out.Sandbox, &out.Interface, &out.Error, &out.Netns, &out.Args} {
		*s = strings.ToValidUTF8(trace.Text(*s), "\uFFFD")
	}
	out.IPs = nil
	for _, ip := range c.IPs[:min(len(c.IPs), maxIPs)] {
		out.IPs = append(out.IPs, strings.ToValidUTF8(trace.Text(ip), "\uFFFD"))
	}
	return &out
}

// Weight implements trace.Weigher.
func (c *Call) Weight() int {
	n := 256 + len(c.Command) + len(c.Plugin) + len(c.Sandbox) + len(c.Interface) + len(c.Error) +
		len(c.Netns) + len(c.Args) + len(c.Stdin) + len(c.Stdout)
	for _, ip := range c.IPs {
		n += 16 + len(ip)
	}
	return n
}

// Brief implements trace.Briefer: all but the plugin's JSON and what it stood in.
func (c *Call) Brief() any {
	brief := *c
	brief.Netns, brief.Args, brief.Stdin, brief.Stdout = "", "", nil, nil
	return &brief
}

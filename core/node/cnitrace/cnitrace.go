// Package cnitrace is what is told of a call of a CNI plugin: by core/node/cni of in-tab nodes, by
// core/realnode/told of what real nodes say.
//
// It may import core/trace only.
package cnitrace

import (
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
	// Netns and Args are CNI_NETNS and CNI_ARGS, Stdin and Stdout the JSON that the plugin was given and
	// gave back. In-tab nodes tell them.
	Netns  string `json:"netns,omitempty"`
	Args   string `json:"args,omitempty"`
	Stdin  string `json:"stdin,omitempty"`
	Stdout string `json:"stdout,omitempty"`
}

// maxIPs bounds how many addresses are told.
const maxIPs = 16

// Bounded is a copy, each text of it cut and valid UTF-8.
func (c *Call) Bounded() *Call {
	out := *c
	for _, s := range []*string{
		&out.Command, &out.Plugin, &out.Sandbox, &out.Interface, &out.Error, &out.Netns, &out.Args, &out.Stdin, &out.Stdout,
	} {
		*s = strings.ToValidUTF8(trace.Text(*s), "\uFFFD")
	}
	out.IPs = nil
	for _, ip := range c.IPs[:min(len(c.IPs), maxIPs)] {
		out.IPs = append(out.IPs, trace.Text(ip))
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

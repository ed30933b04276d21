package node

import (
	"context"
	"fmt"
)

// Node is one in-tab node. Its methods may be called from any goroutine.
type Node struct {
	opts  Options
	ready chan struct{}
}

// New checks opts and makes the node's directory tree. Nothing runs yet.
// The error names every option that is wrong.
func New(opts Options) (*Node, error) {
	o, err := opts.complete()
	if err != nil {
		return nil, fmt.Errorf("node options: %w", err)
	}
	return &Node{opts: o, ready: make(chan struct{})}, nil
}

// Name is the node's name in the API.
func (n *Node) Name() string { return n.opts.Name }

// Ready is closed once the API shows the node with condition Ready=True.
func (n *Node) Ready() <-chan struct{} { return n.ready }

// Run assembles the kubelet and runs it until ctx ends. It returns nil after
// ctx ends, and an error if the kubelet could not be assembled. A Node runs
// once.
func (n *Node) Run(ctx context.Context) error {
	return fmt.Errorf("node %s: the kubelet's assembly is not committed yet", n.opts.Name)
}

// Command tabernetes-cni is the CNI plugin as a program of its own: nodehost can be the plugin
// as well, but takes much longer to start (ADR 13), and a pod's start waits for it several times.
//
// It may import nodehost/cni/plugin only.
package main

import "github.com/tabernetes/tabernetes/nodehost/cni/plugin"

func main() { plugin.Main() }

// Package nodetest starts a node's programs as processes in a test's network namespaces, waits for what
// they print, and finds what runs on the machine. What fails is told with what the process has printed.
//
//	p := nodetest.Start(t, host.Namespace, "hub", []string{"nodehost", "serve"})
//	p.Await(t, "ready")
//	out, err := nodetest.Run(host.Namespace, nodetest.Patience, "kubectl", "get", "nodes")
//
// For tests only, on Linux. It may import nodehost/testnet and the standard library.
package nodetest

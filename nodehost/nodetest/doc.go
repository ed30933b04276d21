// Package nodetest has what tests of real nodes are made of: a cluster behind a hub (Rig) and machines that
// join it (Host), each with network, mounts, settings and control group of its own, so that two of them do
// not meet; programs as processes in their network namespaces; and what runs on the machine. What fails is
// told with what the processes have printed.
//
//	r := nodetest.NewRig(t)
//	h := r.Host(t, "alpha", "192.168.171.11/24")
//	h.Join(t, h.JoinLine(t)...)
//	r.Kubectl(t, "kubectl get nodes")
//
// It builds the programs that it starts, and is called from a package two folders below the repository's
// root. For tests only, on Linux, as root. It may import nodehost/testnet, nodehost/nodedir, nodehost/cgroup,
// nodehost/preflight and the standard library.
package nodetest

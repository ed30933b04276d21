// Package logind is what an in-tab node has in place of systemd's logind: who asks for it holds up the node's
// shutdown for a while (a "delay" inhibitor), and is told that one begins.
//
//	Manager.PowerOff ──► PrepareForShutdown(true) to who listens
//	                     until no inhibitor is held, InhibitDelayMax at the most
//	                ──► the machine's power is cut
//	Manager.Boot     ──► PrepareForShutdown(false)
//
// It follows https://www.freedesktop.org/wiki/Software/systemd/inhibit/ and has upstream's names
// (k8s.io/kubernetes/pkg/kubelet/nodeshutdown/systemd). It imports the standard library only, and knows nothing of
// kubelets.
package logind

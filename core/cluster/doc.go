// Package cluster is the composition root of the core: it puts store, apiserver, controllers,
// scheduler and in-tab nodes together and runs them in one process, the same natively and in
// the tab.
//
//	Options ── Complete ──► CompletedConfig ── New ──► Cluster ── Run(ctx)
//	                                                     ├─ Ready()       every step is done
//	                                                     ├─ Done(step)    one step is done
//	                                                     └─ AdminConfig() a client with all rights
//
// Order is by what a component needs, never by sleeping: the store is open before the apiserver
// is configured; controllers and scheduler start when the apiserver answers /readyz; nodes too.
//
// It may import every package of core; nothing in core may import it.
package cluster

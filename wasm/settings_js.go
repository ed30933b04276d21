package main

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/node"
	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// settings is what the page wants of its cluster: ClusterConfig of protocol.ts.
type settings struct {
	Nodes   int  `json:"nodes"`
	Verbose bool `json:"verbose"`
	// NodeCPU is in whole cores, NodeMemory in MiB; 0 is the default.
	NodeCPU    int64 `json:"nodeCPU"`
	NodeMemory int64 `json:"nodeMemory"`
	// RefuseImages has images that the tab does not have fail to pull.
	RefuseImages bool `json:"refuseImages"`
	// Keep is the name under which the cluster is kept in this browser; empty for not at all.
	Keep string `json:"keep"`
	// Resume has the program's memory kept, too, and gone on from.
	Resume bool `json:"resume"`
	// SchedulerConfig and AdmissionConfig are YAML; empty for none.
	SchedulerConfig string `json:"schedulerConfig"`
	AdmissionConfig string `json:"admissionConfig"`
	// Configuration are any files of the configuration, by their names, for a new cluster.
	Configuration map[string]string `json:"configuration"`
}

func (s settings) options() (cluster.Options, error) {
	if s.NodeCPU < 0 || s.NodeMemory < 0 {
		return cluster.Options{}, fmt.Errorf("a node of %d cores and %d MiB cannot be made", s.NodeCPU, s.NodeMemory)
	}
	var files configuration.Files
	for name, text := range s.Configuration {
		if files == nil {
			files = configuration.Files{}
		}
		files[name] = []byte(text)
	}
	return cluster.Options{
		Dir:         dir,
		ServerNames: []string{tunnel.AnyServerName},
		Nodes:       s.Nodes,
		NodeCapacity: node.Capacity{
			MilliCPU: s.NodeCPU * 1000, MemoryBytes: s.NodeMemory << 20,
			// All nodes can be full at once, unless there are more than most people make.
			EphemeralStorageBytes: nodeStorage / int64(max(s.Nodes, 3)),
		},
		Store:           store.Options{HistoryBytes: storeHistory},
		PodMemory:       podMemory,
		Storage:         nodeStorage,
		RefuseImages:    s.RefuseImages,
		SchedulerConfig: []byte(s.SchedulerConfig),
		AdmissionConfig: []byte(s.AdmissionConfig),
		Configuration:   files,
	}, nil
}

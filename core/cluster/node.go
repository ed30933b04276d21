package cluster

import (
	"context"
	"fmt"
	"net/netip"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/inprocess"
	"github.com/tabernetes/tabernetes/core/node"
	"github.com/tabernetes/tabernetes/core/node/cri"
	"github.com/tabernetes/tabernetes/core/node/mounttable"
	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/node/serviceproxy"
	"github.com/tabernetes/tabernetes/core/pki"
)

// inTabNode is a kubelet with the runtime under it.
type inTabNode struct {
	*node.Node
	ip      netip.Addr
	disk    *nodefs.FS
	runtime *cri.Runtime
	proxy   *serviceproxy.Proxy
	api     *inprocess.Endpoint // by which its kubelet calls
}

// newNode makes the i-th in-tab node, counted from 0.
func (c *Cluster) newNode(i int, capacity node.Capacity) (*inTabNode, error) {
	name, ip := nodeName(i), nodeIP(i)
	dir, err := c.mkdir("nodes", name)
	if err != nil {
		return nil, err
	}
	disk := nodefs.New(dir, nodefs.Sized(uint64(capacity.WithDefaults().EphemeralStorageBytes)), c.storage)
	mounts := mounttable.New(dir)
	proxy := c.proxy(name, ip)
	runtime, err := cri.New(cri.Options{
		NodeName: name,
		NodeIP:   ip,
		RootDir:  filepath.Join(dir, "var/lib/containerd"),
		NodeRoot: dir,
		Cores:    int(capacity.WithDefaults().MilliCPU / 1000),
		Disk:     disk,
		Kind:     mounts.Kind,
		Pods:     c.pods,
		Images:   c.config.Images,
		Dialer:   proxy.Dial,
		Segment:  c.services.segment,
		Path:     proxy.Way,
		Attach:   c.attachPod(ip),
		Trace:    c.config.Trace,
		// What containerd's own configuration has, so that RuntimeClasses written for machines run here.
		RuntimeHandlers: []string{"runc"},
	})
	if err != nil {
		return nil, fmt.Errorf("make node %s: %w", name, err)
	}
	c.services.segment.At(ip, proxy.AtNode)
	api := c.endpoint(pki.NodeUser(name))
	client := at(api).RESTConfig(pki.Pair{})
	server, err := c.keys.NodeServer(name, ip.AsSlice())
	if err != nil {
		return nil, err
	}
	n, err := node.New(node.Options{
		Name:         name,
		IP:           ip,
		RootDir:      dir,
		Capacity:     capacity,
		Disk:         disk,
		Mounts:       mounts,
		Runtime:      runtime,
		ClientConfig: func(context.Context) (*rest.Config, error) { return client, nil },
		ServingCert:  server.Cert,
		ServingKey:   server.Key,
		ClientCA:     c.keys.CA.CertPEM(),
		ClusterDNS:   []netip.Addr{dnsIP},

		ClusterDomain: clusterDomain,
		Kubelet:       c.configurationInForce()[configuration.Kubelet],
		Trace:         c.config.Trace,
	})
	if err != nil {
		return nil, fmt.Errorf("make node %s: %w", name, err)
	}
	return &inTabNode{Node: n, ip: ip, disk: disk, runtime: runtime, proxy: proxy, api: api}, nil
}

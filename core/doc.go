// Package core holds the cluster: it compiles natively and for the tab, and knows neither browser nor
// Linux. What it is made of, each in its folder:
//
//	cluster        puts all of it together: Options → Config → New → Run
//	store          our etcd on buntdb, under upstream's etcd3 storage
//	apiserver      upstream's kube-apiserver
//	initializers   what upstream had until 1.13 between storing an object and showing it; off by default
//	retired        admission plugins that upstream had and took away; off by default
//	configuration  the files by which the control plane is configured
//	controllers    upstream's kube-controller-manager
//	scheduler      upstream's kube-scheduler
//	node           in-tab nodes: upstream's kubelet over our runtime, network, Services and names
//	realnode       real nodes: routes to machines behind the tunnel, their certificates
//	confine        what counts of the words that a node writes about itself
//	localpath      what the StorageClass of real nodes' directories is
//	bootstrap      tokens with which machines join, as kubeadm has them
//	kubectl        upstream's kubectl in the terminal's shell
//	program, shell what a container or a terminal runs
//	tunnel, access the way in from outside, and who may take it
//	nodedial       TLS on the way to an address at a real node
//	attach         a cluster on a hub: both of them, and the way out to real nodes
//	inprocess      HTTP without a network, for the cluster's own components
//	egress         where an address leads
//	clienttrace    tells it of informers and work queues
//	trace          the bus on which all of them tell what they do
//	accept         the next connection of a listener, over errors that pass
//	goroutine      what a goroutine works for, inherited by those that it starts
//	group          goroutines that fail with their name, and end each other
//	wholefile      files that are whole and on disk, or not there
//	pki, kubeconfig, version, netns
//
// accept, trace, goroutine, group, wholefile and version are ground that every package may stand on
// without a word; what else a package imports of this repository, its comment says, and scripts/deptest
// holds it to that.
//
// Kubernetes' words mean what they mean there. Ours: a tab is the page and its worker; an in-tab node
// is a kubelet in it, a real node a machine that has joined; the hub moves streams between tabs,
// machines and clients; a tunnel is one session on one WebSocket; a program is what an in-tab
// container runs.
package core

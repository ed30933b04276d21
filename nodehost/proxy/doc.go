// Package proxy makes Services work on a node: upstream's kube-proxy in this process, and the
// way from the `kubernetes` Service into the tunnel. Linux only.
//
//	p, err := proxy.New(proxy.Options{Client: config, NodeName: name, NodeIP: ip, PodCIDRs: cidrs})
//	go p.Run(ctx)
//	<-p.Ready()        // the rules of all Services then known are in the kernel
//
//	d, err := proxy.NewAPIForwarder(proxy.APIForwarderOptions{Client: config, Dial: tunnel, Pods: cidrs})
//	go d.Run(ctx)
//
// kube-proxy is put together as upstream's kubemark does it for its hollow proxy, with a real
// proxier: nftables where the kernel has it, else iptables. It cannot be stopped; one whose
// context has ended is cut from the API server and has nothing more to do.
//
// kube-proxy hears of this machine's pods that are being ended as soon as the kubelet does (ending), so
// that a machine which is cut off in that moment leads nobody to them.
//
// A pod that asks 10.96.0.1:443 is led by kube-proxy's rules to the address that the API server
// says it has, as in every cluster. Nobody has that address: the API server is in a browser's
// tab. So each node takes it, on its own interface (nodehost/localaddr), and APIForwarder listens there and
// hands what comes to the tunnel. TLS goes through it untouched, from the pod to the tab. Each address has a
// share of the connections, and all of them together a bound (nodehost/share), as the tunnel is everybody's.
//
// The client needs what the role system:node-proxier has, and the pods of its node.
//
// It may import kube-proxy's packages of k8s.io/kubernetes, client-go, knftables,
// nodehost/localaddr and nodehost/share. It must never listen on an address that others can reach.
package proxy

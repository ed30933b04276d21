// Package dns is the name server of a node: CoreDNS' own plugins (kubernetes, cache, forward) as
// a library, on a link-local address that every pod of the node asks, as NodeLocal DNSCache does.
// Linux only.
//
//	s, err := dns.New(dns.Options{Client: config})
//	go s.Run(ctx)              // until ctx is done; answers what it knows while the tab is away
//	<-s.Ready()                // it listens, and knows the cluster's Services
//	kubelet: clusterDNS: [dns.Address], clusterDomain: dns.Domain
//
// The chain is kubernetes → cache → forward. The cluster's own names are answered from the
// informers' memory and never from the cache, so that a change is seen as soon as it is known;
// every other name goes to the name servers that the host itself uses, or is refused where the
// host has none.
//
// The plugins are put together here and not by a Corefile, because CoreDNS' set-up functions
// work on the whole process: they replace klog's logger, which the kubelet and kube-proxy use,
// and the plugin loop ends the process. The plugins errors and health are a few lines here, and
// loops are prevented by never forwarding to ourselves (ADR 13).
//
// The client needs list and watch of services, endpointslices and namespaces.
//
// It may import CoreDNS, miekg/dns, client-go and nodehost/localaddr. It must never start CoreDNS by
// its set-up functions or its main package.
package dns

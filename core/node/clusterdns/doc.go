// Package clusterdns is the name server of a cluster for its in-tab pods, as the Kubernetes DNS
// specification has it (https://github.com/kubernetes/dns/blob/master/docs/specification.md,
// version 1.1.0): Services, headless Services and their endpoints with A, AAAA, SRV and PTR, external
// names, pods by address. It answers by datagram and by TCP; pods ask it as they ask any server.
//
// There is no world outside: of a name that is not the cluster's it says that it does not exist.
//
// It may import client-go and golang.org/x/net/dns/dnsmessage; it must never import other packages of
// core.
package clusterdns

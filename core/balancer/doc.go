// Package balancer gives Services of type LoadBalancer an address, as a cloud's controller does: from
// a pool of the cluster's own, in status.loadBalancer.ingress. Who is led there is the service proxy's
// matter.
//
// A Service keeps its address as long as it asks for one, over restarts too. One that names a
// loadBalancerClass is somebody else's. When the pool is exhausted, an event says so, and the Service
// gets the next address that is given back.
//
// It acts as upstream's service-controller, whose role every cluster has. It may import client-go,
// the API and core/reconcile; it must never know how addresses are reached.
package balancer

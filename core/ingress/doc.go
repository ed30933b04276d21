// Package ingress is the cluster's Ingress controller where nodes are in the tab: one address, from
// core/balancer's range, at which HTTP and HTTPS requests are led to endpoints by what Ingresses of its
// class say. Hosts and path types are the API's; answers are as a controller's users know them: 404 where
// no rule matches, 503 where a Service has no endpoint, 502 where an endpoint does not answer. Of annotations
// two are read: the one that keeps HTTP from being led to HTTPS, and the class of older manifests.
//
// It may import client-go, Kubernetes' API types and core/reconcile. It must never know how endpoints are dialled (Options.Dial) or
// listen itself (Serve is given its listeners).
package ingress

// Package outside is where a hub leads the API servers of its clusters beyond the cluster: the few addresses that whoever
// runs the hub has named on its command line, each resolved once, and nowhere else. A cluster is no way into the hub's own
// network: a name whose address is not of the Internet is refused, unless the address itself was named.
//
// It may import core/tunnel and the standard library; it must never know who asks.
package outside

package checkpoint

import (
	"iter"
	"strings"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// registry is what the keys of objects begin with: "/registry/", or what --etcd-prefix says.
type registry string

// below is a key without that: "pods/default/web".
func (r registry) below(key string) string { return strings.TrimPrefix(key, string(r)) }

// passing is what belongs to its moment, or is derived from the rest: put back it would be wrong, and what makes it
// makes it again. A heartbeat of then would have nodes fail; endpoints of then lead to addresses that others have.
var passing = []string{
	"events/", "leases/", "masterleases/", "services/endpoints/", "endpointslices/", "csinodes/",
	"certificatesigningrequests/", "podcertificaterequests/", "serverstorageversions/", "apiregistration.k8s.io/", "peerserverleases/",
}

// inScope is what is remembered of a state, in a list that has room for that and no more: it is held as long as the
// checkpoint is, and of a busy cluster most keys are Events.
func (r registry) inScope(all []mvcc.KV) []mvcc.KV {
	n := 0
	for _, kv := range all {
		if r.remembered(kv.Key) {
			n++
		}
	}
	out := make([]mvcc.KV, 0, n)
	for _, kv := range all {
		if r.remembered(kv.Key) {
			out = append(out, kv)
		}
	}
	return out
}

func (r registry) remembered(key string) bool {
	rest, ok := strings.CutPrefix(key, string(r))
	if !ok {
		return false // compact_rev_key, health
	}
	for _, p := range passing {
		if strings.HasPrefix(rest, p) {
			return false
		}
	}
	return true
}

// changed gives each key that differs between two lists in order of keys; nil is a key that a list does not have. Two
// with the same revision are one.
func changed(then, now []mvcc.KV) iter.Seq2[*mvcc.KV, *mvcc.KV] {
	return func(yield func(*mvcc.KV, *mvcc.KV) bool) {
		for i, j := 0, 0; i < len(then) || j < len(now); {
			var a, b *mvcc.KV
			switch {
			case j == len(now) || i < len(then) && then[i].Key < now[j].Key:
				a = &then[i]
				i++
			case i == len(then) || now[j].Key < then[i].Key:
				b = &now[j]
				j++
			default:
				a, b = &then[i], &now[j]
				i, j = i+1, j+1
				if a.ModRevision == b.ModRevision {
					continue
				}
			}
			if !yield(a, b) {
				return
			}
		}
	}
}

package checkpoint

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// renewed is under which UID an object that is gone comes back, by the UID it had, and which objects that stay as they are
// know it by that. The garbage collector remembers owners that are gone (upstream's absentOwnerCache) and relies on it that
// a UID never comes back: it would delete what they own. Whom nobody refers to keeps its UID, and so does a ServiceAccount:
// its tokens have the UID in them, and are signed.
func renewed(steps []step, now []mvcc.KV) (to map[string]string, stay []string) {
	to = map[string]string{}
	written := map[string]bool{}
	for _, s := range steps {
		written[s.object.key] = true
		if s.value == nil || s.object.decoded == nil || s.what != ComesBack && !s.afresh || strings.HasPrefix(s.object.below, "serviceaccounts/") {
			continue
		}
		if uid := string(s.object.decoded.GetUID()); len(uid) == uidLength {
			to[uid] = ""
		}
	}
	refer := func(value, self string) (any bool) {
		for at := range uidsIn(value) {
			uid := value[at : at+uidLength]
			if other, ok := to[uid]; ok && uid != self {
				any = true
				if other == "" {
					to[uid] = string(uuid.NewUUID())
				}
			}
		}
		return any
	}
	for _, s := range steps {
		if s.value != nil && s.object.decoded != nil {
			refer(s.value.Value, string(s.object.decoded.GetUID()))
		}
	}
	for _, kv := range now {
		if !written[kv.Key] && refer(kv.Value, "") {
			stay = append(stay, kv.Key)
		}
	}
	maps.DeleteFunc(to, func(_, uid string) bool { return uid == "" })
	return to, stay
}

// uidLength is that of upstream's UIDs, all UUIDs as text.
const uidLength = 36

// uidsIn is where a value has UIDs as texts of their own. A name that a UID is a part of (pvc-UID) is none.
func uidsIn(value string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for dash := 0; ; dash++ {
			next := strings.IndexByte(value[dash:], '-')
			if next < 0 {
				return
			}
			dash += next
			start := dash - 8
			if start < 1 || len(value) < start+uidLength || value[start+13] != '-' || value[start+18] != '-' || value[start+23] != '-' {
				continue
			}
			// The length is the byte before a text in protobuf, a quote is in JSON.
			if before := value[start-1]; before != uidLength && before != '"' {
				continue
			}
			if !yield(start) {
				return
			}
		}
	}
}

// renew is a value with other UIDs, wherever it has them: its own, its owners', a Job's selector, a claim's.
func renew(value string, to map[string]string) string {
	var out strings.Builder
	done := 0
	for start := range uidsIn(value) {
		if uid, ok := to[value[start:start+uidLength]]; ok {
			out.WriteString(value[done:start])
			out.WriteString(uid)
			done = start + uidLength
		}
	}
	if done == 0 {
		return value
	}
	out.WriteString(value[done:])
	return out.String()
}

// renewSealed is renew of a value that may be encrypted; one that u cannot read stays as it is.
func renewSealed(kv *mvcc.KV, to map[string]string, u Unseal) (string, error) {
	if s := u.one(kv); s != nil {
		return s.around(renew(s.plain, to))
	}
	return renew(kv.Value, to), nil
}

// renewAll has every checkpoint know an object under its new UID, so that it is the same one when one goes back again. It is
// called with mu held.
func (c *Checkpoints) renewAll(to map[string]string, u Unseal) {
	if len(to) == 0 {
		return
	}
	defer c.changedSince(true)
	shared := map[string]string{} // checkpoints share values
	for _, p := range c.all {
		p.kvs = slices.Clone(p.kvs) // save may be writing it
		for i := range p.kvs {
			p.kvs[i].Value = renewShared(&p.kvs[i], to, u, shared)
		}
	}
}

func renewShared(kv *mvcc.KV, to map[string]string, u Unseal, shared map[string]string) string {
	if v, ok := shared[kv.Value]; ok {
		return v
	}
	v, err := renewSealed(kv, to, u)
	if err != nil {
		v = kv.Value
	}
	if v != kv.Value || strings.HasPrefix(v, sealedPrefix) { // which is not read again for the next one
		shared[kv.Value] = v
	}
	return v
}

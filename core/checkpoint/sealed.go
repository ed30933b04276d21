package checkpoint

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// Unseal reads a value that is encrypted at rest, and gives what encrypts another for the same key. It fails for a value
// of which there is no key any more.
type Unseal func(key, value string) (plain string, seal func(plain string) (string, error), ok bool)

// sealedPrefix begins what upstream has encrypted (k8s.io/apiserver/pkg/server/options/encryptionconfig).
const sealedPrefix = "k8s:enc:"

// UnsealBy has what is encrypted read with the keys that there are when it is asked for. Without it, and where it gives
// nil, what is encrypted is put back as it was, with the UIDs that it had.
func (c *Checkpoints) UnsealBy(keys func() Unseal) { c.keys = keys }

func (c *Checkpoints) unseal() Unseal {
	if c.keys != nil {
		if u := c.keys(); u != nil {
			return u
		}
	}
	return func(string, string) (string, func(string) (string, error), bool) { return "", nil, false }
}

// sealing is what was encrypted: as it lay in the store, and what encrypts another.
type sealing struct {
	raw, plain string
	seal       func(string) (string, error)
}

// around encrypts a value, if it is another than before; a nil sealing is of what never was.
func (s *sealing) around(value string) (string, error) {
	switch {
	case s == nil:
		return value, nil
	case value == s.plain:
		return s.raw, nil
	}
	return s.seal(value)
}

// open reads what is encrypted; sealed has it, by its key.
func (u Unseal) open(kvs []mvcc.KV) (plain []mvcc.KV, sealed map[string]*sealing) {
	plain, sealed = kvs, map[string]*sealing{}
	for i := range kvs {
		if s := u.one(&kvs[i]); s != nil {
			if len(sealed) == 0 {
				plain = slices.Clone(kvs)
			}
			sealed[kvs[i].Key], plain[i].Value = s, s.plain
		}
	}
	return plain, sealed
}

// one is nil for what is not encrypted, or cannot be read.
func (u Unseal) one(kv *mvcc.KV) *sealing {
	if !strings.HasPrefix(kv.Value, sealedPrefix) {
		return nil
	}
	value, seal, ok := u(kv.Key, kv.Value)
	if !ok {
		return nil
	}
	return &sealing{raw: kv.Value, plain: value, seal: seal}
}

package main

import (
	"time"

	"github.com/syumai/workers/cloudflare/kv"
	"github.com/tabernetes/tabernetes/wasm/edge/shares"
)

// kvStore keeps shares in Cloudflare's KV, which ends them by itself.
type kvStore struct{ namespace *kv.Namespace }

var _ shares.Store = kvStore{}

func newKV(binding string) (kvStore, error) {
	namespace, err := kv.NewNamespace(binding)
	return kvStore{namespace}, err
}

// missing is what the library makes of JavaScript's null. No packed text has such characters.
const missing = "<null>"

// Get implements shares.Store.
func (s kvStore) Get(id string) (string, error) {
	text, err := s.namespace.GetString(id, nil)
	if err == nil && text == missing {
		return "", shares.ErrNone
	}
	return text, err
}

// Put implements shares.Store.
func (s kvStore) Put(id, packed string, keep time.Duration) error {
	return s.namespace.PutString(id, packed, &kv.PutOptions{ExpirationTTL: int(keep.Seconds())})
}

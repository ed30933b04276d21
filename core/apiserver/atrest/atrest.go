// Package atrest reads and writes values as they lie encrypted in the store, by upstream's own transformers
// (k8s.io/apiserver/pkg/server/options/encryptionconfig), for who looks at the store beside the API server.
//
// It may import core/apiserver/etcdview, which tells an object from noise, and upstream; it must not import the server.
package atrest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
)

// Keys are those of one EncryptionConfiguration.
type Keys struct {
	of     map[schema.GroupResource]value.Transformer
	prefix string
}

// Load reads an EncryptionConfiguration's file, for keys below prefix (--etcd-prefix). Providers outside the process (kms) are not asked: what they have
// encrypted cannot be read.
func Load(ctx context.Context, path, prefix string) (*Keys, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // of what asks a kms
	config, err := encryptionconfig.LoadEncryptionConfig(ctx, path, false, "")
	if err != nil {
		return nil, fmt.Errorf("read the encryption's configuration: %w", err)
	}
	return &Keys{config.Transformers, strings.TrimSuffix(prefix, "/") + "/"}, nil
}

// Unseal reads a value of a key of the store, and gives what encrypts another as the API server would; ok is false if
// none of the keys has encrypted it.
func (k *Keys) Unseal(key, sealed string) (plain string, seal func(string) (string, error), ok bool) {
	at := value.DefaultContext(key) // which authenticates it
	for _, resource := range k.inOrder(key) {
		by := k.of[resource]
		text, _, err := by.TransformFromStorage(context.Background(), []byte(sealed), at)
		if err != nil {
			continue
		}
		// Not every cipher notices that it was another key.
		if _, err := etcdview.Tree(text); err != nil {
			continue
		}
		return string(text), func(plain string) (string, error) {
			out, err := by.TransformToStorage(context.Background(), []byte(plain), at)
			return string(out), err
		}, true
	}
	return "", nil, false
}

// inOrder are the resources that have keys: the one of a key of the store first, as far as its name tells, then those of
// its group, then what is for all.
func (k *Keys) inOrder(key string) []schema.GroupResource {
	parts := strings.Split(strings.TrimPrefix(key, k.prefix), "/")
	rank := func(r schema.GroupResource) int {
		switch {
		case len(parts) > 1 && r.Group == parts[0] && r.Resource == parts[1], r.Resource == parts[0]:
			return 0
		case r.Group == parts[0] && r.Resource == "*":
			return 1
		case r.Resource == "*":
			return 2
		}
		return 3
	}
	all := make([]schema.GroupResource, 0, len(k.of))
	for r := range k.of {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b schema.GroupResource) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.String(), b.String())
	})
	return all
}

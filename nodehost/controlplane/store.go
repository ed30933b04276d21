package controlplane

import (
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/nodehost/datadir"
)

// SyncPolicies are the words for --store-sync.
var SyncPolicies = map[string]persist.SyncPolicy{
	"always": persist.SyncAlways, "interval": persist.SyncInterval, "never": persist.SyncNever,
}

// store says where the cluster's own store is kept.
func (o *Options) store() (store.Options, error) {
	if !o.Store {
		return store.Options{}, nil
	}
	policy, ok := SyncPolicies[o.StoreSync]
	if !ok {
		return store.Options{}, fmt.Errorf("--store-sync is %q; it can be always, interval or never", o.StoreSync)
	}
	return store.Options{Path: datadir.Dir(o.Dir).Store(), Keep: persist.Options{Sync: policy, NeverBack: true}}, nil
}

// explain adds the way on to the error of a damaged store.
func (o *Options) explain(err error) error {
	if damage := (*persist.DamageError)(nil); errors.As(err, &damage) {
		return fmt.Errorf("%w. Run: nodehost store repair --data-dir %s", err, o.Dir)
	}
	return err
}

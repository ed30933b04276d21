package methods

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Etcd gives what looks into the cluster's store, once it is open.
type Etcd func(context.Context) (*etcdview.View, error)

type etcdKeysParams struct {
	Prefix string `json:"prefix"`
	After  string `json:"after"`
	Limit  int    `json:"limit"`
}

// EtcdKeys serves `etcdKeys`: what lies directly below a prefix, a page at a time.
func EtcdKeys(etcd Etcd) port.Handler {
	return look("etcdKeys", etcd, func(v *etcdview.View, p etcdKeysParams) (*etcdview.Page, error) {
		return v.Keys(p.Prefix, p.After, p.Limit)
	})
}

type etcdObjectParams struct {
	Key      string `json:"key"`
	Revision int64  `json:"revision"`
	Format   string `json:"format"`
	Secrets  bool   `json:"secrets"`
	Cut      bool   `json:"cut"`
}

// EtcdObject serves `etcdObject`: one version of a key, decoded.
func EtcdObject(etcd Etcd) port.Handler {
	return look("etcdObject", etcd, func(v *etcdview.View, p etcdObjectParams) (*etcdview.Object, error) {
		return v.Object(p.Key, etcdview.Options{Revision: p.Revision, Format: p.Format, Secrets: p.Secrets, Cut: p.Cut})
	})
}

type etcdHistoryParams struct {
	Key    string `json:"key"`
	Before int64  `json:"before"`
	Limit  int    `json:"limit"`
}

// EtcdHistory serves `etcdHistory`: the versions of a key that are still held.
func EtcdHistory(etcd Etcd) port.Handler {
	return look("etcdHistory", etcd, func(v *etcdview.View, p etcdHistoryParams) (*etcdview.History, error) {
		return v.History(p.Key, p.Before, p.Limit)
	})
}

// EtcdWatchers serves `etcdWatchers`: who watches, and how far each lags.
func EtcdWatchers(etcd Etcd) port.Handler {
	return look("etcdWatchers", etcd, func(v *etcdview.View, _ struct{}) (*etcdview.Watching, error) {
		return v.Watchers(), nil
	})
}

// look reads the parameters, waits for the store and says what to do about an error.
func look[P, R any](method string, etcd Etcd, answer func(*etcdview.View, P) (R, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p P
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		v, err := etcd(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		result, err := answer(v, p)
		if err == nil {
			return result, nil
		}
		err = fmt.Errorf("%s: %w", method, err)
		switch {
		case errors.Is(err, etcdview.ErrNoKey):
			return nil, &port.Error{Err: err, Hint: "It may have been deleted. Its history may still be held."}
		case errors.Is(err, mvcc.ErrCompacted):
			return nil, &port.Error{Err: err, Hint: "etcd forgets old revisions when it compacts. Look at a later one."}
		}
		return nil, err
	}
}

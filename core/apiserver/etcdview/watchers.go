package etcdview

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// MaxWatchers bounds the watchers of one answer. A cluster has one for each of its hundred resources.
const MaxWatchers = 2000

// Watching is who watches the store.
type Watching struct {
	// Revision is the store's latest.
	Revision int64     `json:"revision"`
	Watchers []Watcher `json:"watchers"`
	// More is how many there are besides.
	More int `json:"more,omitempty"`
}

// Watcher is a live watch, in the order in which they began.
type Watcher struct {
	ID int64 `json:"id"`
	// Key is what it watches. Prefix is set if it is all that begins so, and End is the first key
	// after the range if it is another range.
	Key    string `json:"key"`
	Prefix bool   `json:"prefix,omitempty"`
	End    string `json:"end,omitempty"`
	// Began is when, in milliseconds since 1970, and From the revision that it began with.
	Began float64 `json:"began"`
	From  int64   `json:"from"`
	// Events is how many it was given, Lag how many revisions it has not been given that may concern
	// it; 0 if it is up to date.
	Events int64 `json:"events"`
	Lag    int64 `json:"lag"`
}

// Watchers describes the live watches.
func (v *View) Watchers() *Watching {
	all := v.store.Watchers()
	out := &Watching{Revision: v.store.Status().Revision, Watchers: []Watcher{}}
	for i, w := range all {
		if i == MaxWatchers {
			out.More = len(all) - i
			break
		}
		told := Watcher{
			ID: w.ID, Key: w.Key, Prefix: w.End == mvcc.ToEnd && w.Key == "" || w.End == after(w.Key),
			Began: float64(w.Began.UnixMicro()) / 1000, From: w.From, Events: w.Events, Lag: w.Lag,
		}
		if !told.Prefix {
			told.End = strings.ToValidUTF8(w.End, "\uFFFD")
		}
		out.Watchers = append(out.Watchers, told)
	}
	return out
}

// after is the first key that does not begin with a prefix, as etcd's client has it (GetPrefixRangeEnd
// of go.etcd.io/etcd/client/v3/op.go).
func after(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return mvcc.ToEnd
}

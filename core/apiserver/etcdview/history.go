package etcdview

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// MaxVersions bounds the versions of one answer.
const MaxVersions = 200

// History is what is still held of a key.
type History struct {
	Key string `json:"key"`
	// Revision is the store's latest, Compacted the lowest that can still be read (0: all).
	Revision  int64 `json:"revision"`
	Compacted int64 `json:"compacted"`
	// Versions are the latest first.
	Versions []Version `json:"versions"`
	// More is set if older ones are held; Begins if the last one made the key.
	More   bool `json:"more"`
	Begins bool `json:"begins"`
}

// Version is one change of a key. Its value is asked for by its revision.
type Version struct {
	Revision int64 `json:"revision"`
	// Change is "create", "update" or "delete".
	Change string `json:"change"`
	// Version counts the changes since the key was made; 0 for a deletion.
	Version int64 `json:"version"`
	// Bytes is the length of the value, 0 for a deletion.
	Bytes int `json:"bytes"`
	// Step is the trace's step that wrote it, 0 if it is not held.
	Step int64 `json:"step,omitempty"`
}

// History gives up to limit versions of a key, latest first, from before a revision on; 0 is from the
// latest.
func (v *View) History(key string, before int64, limit int) (*History, error) {
	if err := checkKey("a key", key); err != nil {
		return nil, err
	}
	limit = bounded(limit, MaxVersions)
	status := v.store.Status()
	changes, err := v.store.KeyHistory(key)
	if err != nil {
		return nil, fmt.Errorf("read the history of %q: %w", key, err)
	}
	all := make([]Version, 0, len(changes)+1)
	switch {
	case len(changes) > 0 && changes[0].Prev != nil:
		all = append(all, v.version(mvcc.Change{KV: *changes[0].Prev}))
	case len(changes) == 0:
		kv, found, _, err := v.store.Get(key)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", key, err)
		}
		if !found {
			return nil, fmt.Errorf("read the history of %q: %w", key, ErrNoKey)
		}
		all = append(all, v.version(mvcc.Change{KV: kv}))
	}
	for _, c := range changes {
		all = append(all, v.version(c))
	}
	slices.Reverse(all)
	if before > 0 {
		all = all[sortedFrom(all, before):]
	}
	out := &History{Key: key, Revision: status.Revision, Compacted: status.CompactRevision, Versions: all}
	if len(all) > limit {
		out.Versions, out.More = all[:limit], true
	}
	if n := len(out.Versions); n > 0 {
		out.Begins = !out.More && out.Versions[n-1].Change == "create"
	}
	return out, nil
}

// sortedFrom is the place of the first version before a revision.
func sortedFrom(latestFirst []Version, before int64) int {
	n := slices.IndexFunc(latestFirst, func(v Version) bool { return v.Revision < before })
	if n < 0 {
		return len(latestFirst)
	}
	return n
}

func (v *View) version(c mvcc.Change) Version {
	change := "update"
	switch {
	case c.Delete:
		change = "delete"
	case c.KV.Version == 1:
		change = "create"
	}
	return Version{
		Revision: c.KV.ModRevision, Change: change, Version: c.KV.Version, Bytes: len(c.KV.Value),
		Step: int64(v.trace.Revision(c.KV.ModRevision)),
	}
}

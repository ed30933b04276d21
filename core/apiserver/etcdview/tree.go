package etcdview

import (
	"fmt"
	"strings"
)

const (
	// MaxEntries bounds the entries of one page.
	MaxEntries = 500
	// scanAtOnce is how many keys are read while writers wait.
	scanAtOnce = 1000
	// maxScan bounds the keys that are read for one page, so that a page of directories that hold
	// very many keys comes to an end.
	maxScan = 50_000
)

// Page is what lies directly below a prefix, in the order of keys.
type Page struct {
	// Revision is the store's latest, Compacted the lowest that can still be read (0: all).
	Revision  int64 `json:"revision"`
	Compacted int64 `json:"compacted"`
	// Keys and Bytes are of the whole store; bytes with the metadata of each key.
	Keys  int64 `json:"keys"`
	Bytes int64 `json:"bytes"`

	Entries []Entry `json:"entries"`
	// More is set if there are entries after the last one, whose name leads on to them.
	More bool `json:"more"`
}

// Entry is a key, or all keys that go on after the same slash.
type Entry struct {
	// Name is the whole key, or the prefix, which ends in a slash.
	Name string `json:"name"`
	// Directory tells a prefix from a key. Keys is how many keys it holds, AtLeast if they were too
	// many to count. A key that is alone below its prefix is a directory all the same.
	Directory bool `json:"directory,omitempty"`
	Keys      int  `json:"keys,omitempty"`
	AtLeast   bool `json:"atLeast,omitempty"`
	// Bytes is the length of the value, or of all values.
	Bytes int64 `json:"bytes"`
	// ModRevision is the latest change of the key, or of the keys that are there now.
	ModRevision int64 `json:"modRevision"`
	// What a key has besides.
	CreateRevision int64 `json:"createRevision,omitempty"`
	Version        int64 `json:"version,omitempty"`
	Lease          int64 `json:"lease,omitempty"`
}

// Keys gives up to limit entries below prefix that come after one by its name; "" is from the
// beginning.
func (v *View) Keys(prefix, after string, limit int) (*Page, error) {
	for what, key := range map[string]string{"a prefix": prefix, "a key": after} {
		if err := checkKey(what, key); err != nil {
			return nil, err
		}
	}
	limit = bounded(limit, MaxEntries)
	status := v.store.Status()
	page := &Page{
		Revision: status.Revision, Compacted: status.CompactRevision, Keys: status.Keys, Bytes: status.Bytes,
		Entries: []Entry{},
	}
	if len(after) > len(prefix) && strings.HasSuffix(after, "/") {
		after = behind(after)
	}
	for scanned := 0; ; {
		keys, err := v.store.Keys(prefix, after, scanAtOnce)
		if err != nil {
			return nil, fmt.Errorf("read the keys below %q: %w", prefix, err)
		}
		for _, k := range keys {
			after = k.Key
			last := len(page.Entries) - 1
			if rest, _, deeper := strings.Cut(k.Key[len(prefix):], "/"); deeper {
				name := prefix + rest + "/"
				if last < 0 || page.Entries[last].Name != name {
					if len(page.Entries) == limit {
						page.More = true
						return page, nil
					}
					page.Entries = append(page.Entries, Entry{Name: name, Directory: true})
					last++
				}
				e := &page.Entries[last]
				e.Keys++
				e.Bytes += int64(k.Bytes)
				e.ModRevision = max(e.ModRevision, k.ModRevision)
				continue
			}
			if len(page.Entries) == limit {
				page.More = true
				return page, nil
			}
			page.Entries = append(page.Entries, Entry{
				Name: k.Key, Bytes: int64(k.Bytes), ModRevision: k.ModRevision,
				CreateRevision: k.CreateRevision, Version: k.Version, Lease: k.Lease,
			})
		}
		if len(keys) < scanAtOnce {
			return page, nil
		}
		if scanned += len(keys); scanned >= maxScan {
			page.More = true
			if last := &page.Entries[len(page.Entries)-1]; last.Directory {
				last.AtLeast = true
			}
			return page, nil
		}
	}
}

// behind is after every key below a directory: no UTF-8 has this byte.
func behind(directory string) string { return directory + "\xff" }

package memcached

import (
	"container/list"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// perItem is what an item takes beside its key and its data, in bytes.
const perItem = 128

// item is what stands under a key.
type item struct {
	key     string
	flags   uint32
	data    []byte
	cas     uint64
	expires time.Time // zero for never
}

func (i *item) size() int64 { return int64(len(i.key) + len(i.data) + perItem) }

// cache is what is kept; its methods may be called from any goroutine.
type cache struct {
	mu      sync.Mutex
	limit   int64 // bytes
	held    *program.Memory
	items   map[string]*list.Element
	used    list.List // of *item, the last used first
	lastCAS uint64

	gets, hits, sets, evicted uint64
}

// get is the item under a key, nil if there is none. mu is held.
func (c *cache) get(key string) *item {
	e := c.items[key]
	if e == nil {
		return nil
	}
	i := e.Value.(*item)
	if !i.expires.IsZero() && !time.Now().Before(i.expires) {
		c.remove(key)
		return nil
	}
	c.used.MoveToFront(e)
	return i
}

// put keeps an item in the place of what stood there. False: there is no room. mu is held.
func (c *cache) put(i *item) bool {
	c.remove(i.key)
	for c.held.Held()+i.size() > c.limit && c.used.Len() > 0 {
		c.evicted++
		c.remove(c.used.Back().Value.(*item).key)
	}
	if c.held.Held()+i.size() > c.limit || c.held.Grow(int(i.size())) != nil {
		return false
	}
	c.lastCAS++
	i.cas = c.lastCAS
	c.items[i.key] = c.used.PushFront(i)
	return true
}

// remove forgets a key. mu is held.
func (c *cache) remove(key string) bool {
	e := c.items[key]
	if e == nil {
		return false
	}
	c.used.Remove(e)
	delete(c.items, key)
	_ = c.held.Grow(-int(e.Value.(*item).size())) // giving back does not fail
	return true
}

// expiry is a protocol's time: seconds from now, or since 1970 if that is more than thirty days; 0 for never,
// and less for at once.
func expiry(seconds int64) time.Time {
	const month = 30 * 24 * 60 * 60
	switch {
	case seconds == 0:
		return time.Time{}
	case seconds < 0:
		return time.Unix(1, 0)
	case seconds > month:
		return time.Unix(seconds, 0)
	}
	return time.Now().Add(time.Duration(seconds) * time.Second)
}

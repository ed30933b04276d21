package trace

import (
	"math"
	"time"
)

// index finds the step that a later one came of, where only the object is known: the latest step
// that wrote it. It holds what the ring holds, and forgets with it.
type index struct {
	revisions map[int64]made
	objects   map[string]ID // by UID
	keys      map[string]ID // by key
	writes    map[ID]write  // what each of these steps stands for
}

type made struct {
	id ID
	at time.Time
}

type write struct {
	revision int64
	uid, key string
	// sameUID and sameKey are the writes of the same object that began before this one; 0 is none.
	sameUID, sameKey ID
}

func (w write) byUID() ID { return w.sameUID }
func (w write) byKey() ID { return w.sameKey }

func (x *index) init() {
	x.revisions, x.objects, x.keys, x.writes = map[int64]made{}, map[string]ID{}, map[string]ID{}, map[ID]write{}
}

func (x *index) put(id ID, w write) {
	w.sameUID = x.latest(x.objects[w.uid], id, write.byUID)
	w.sameKey = x.latest(x.keys[w.key], id, write.byKey)
	x.writes[id] = w
	if w.revision != 0 {
		x.revisions[w.revision] = made{id, time.Now()}
	}
	if w.uid != "" {
		x.objects[w.uid] = id
	}
	if w.key != "" {
		x.keys[w.key] = id
	}
}

// forget is called when the step leaves the ring.
func (x *index) forget(s *Step) {
	w, ok := x.writes[s.ID]
	if !ok {
		return
	}
	delete(x.writes, s.ID)
	if x.revisions[w.revision].id == s.ID {
		delete(x.revisions, w.revision)
	}
	if x.objects[w.uid] == s.ID {
		delete(x.objects, w.uid)
	}
	if x.keys[w.key] == s.ID {
		delete(x.keys, w.key)
	}
}

// latest is from, or the write of the same object before it that began before the step id; 0 if none is held.
func (x *index) latest(from, id ID, same func(write) ID) ID {
	for from != 0 {
		w, held := x.writes[from]
		switch {
		case !held:
			return 0
		case from < id:
			return from
		}
		from = same(w)
	}
	return 0
}

// ObjectKey is how the index names an object of which the UID is not known: resource with its group
// ("pods", "deployments.apps"), namespace and name.
func ObjectKey(group, resource, namespace, name string) string {
	if group != "" {
		resource += "." + group
	}
	return resource + "/" + namespace + "/" + name
}

// Wrote tells that the step id, which is told afterwards, made revision of the object: from now on
// Revision, Latest and LatestByKey find it. Neither uid nor key needs to be known.
func (b *Bus) Wrote(id ID, revision int64, uid, key string) {
	if b == nil || id == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.index.put(id, write{revision: revision, uid: uid, key: key})
}

// Revision is the step that made a revision of the store, which is an object's resourceVersion; 0 if
// it is not held.
func (b *Bus) Revision(revision int64) ID {
	id, _ := b.Made(revision)
	return id
}

// Made is Revision with how long ago that was.
func (b *Bus) Made(revision int64) (id ID, ago time.Duration) {
	if b == nil {
		return 0, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.index.revisions[revision]
	if m.id == 0 {
		return 0, 0
	}
	return m.id, time.Since(m.at)
}

// UIDAt is the UID of the object that a revision of the store was made of; "" if it is not held.
func (b *Bus) UIDAt(revision int64) string {
	if b == nil || revision == 0 {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.index.writes[b.index.revisions[revision].id].uid
}

// Latest is the step that wrote the object of that UID last; 0 if it is not held.
func (b *Bus) Latest(uid string) ID { return b.LatestBefore(math.MaxInt64, uid) }

// LatestBefore is the last of those steps that began before the step id: what id comes of. Whoever looks for it
// does so while id is under way, when others may have written the object again. 0 if none is held.
func (b *Bus) LatestBefore(id ID, uid string) ID {
	if b == nil || uid == "" {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.index.latest(b.index.objects[uid], id, write.byUID)
}

// LatestByKey is Latest for an ObjectKey.
func (b *Bus) LatestByKey(key string) ID { return b.LatestByKeyBefore(math.MaxInt64, key) }

// LatestByKeyBefore is LatestBefore for an ObjectKey.
func (b *Bus) LatestByKeyBefore(id ID, key string) ID {
	if b == nil || key == "" {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.index.latest(b.index.keys[key], id, write.byKey)
}

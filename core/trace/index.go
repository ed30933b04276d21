package trace

import "time"

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
}

func (x *index) init() {
	x.revisions, x.objects, x.keys, x.writes = map[int64]made{}, map[string]ID{}, map[string]ID{}, map[ID]write{}
}

func (x *index) put(id ID, w write) {
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
	b.index.put(id, write{revision, uid, key})
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

// Latest is the step that wrote the object of that UID last; 0 if it is not held.
func (b *Bus) Latest(uid string) ID {
	if b == nil || uid == "" {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.index.objects[uid]
}

// LatestByKey is the same for an ObjectKey.
func (b *Bus) LatestByKey(key string) ID {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.index.keys[key]
}

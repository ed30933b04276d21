package trace

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// markTable is how many marks can be out at once; the oldest is forgotten first.
const markTable = 1024

// marks has what stands for a step on its way over TLS: audit IDs that this process gave to its own
// requests, the addresses that its connections come from, and the pods that they reach into. Each stands for
// one request.
type marks struct {
	mu    sync.Mutex
	ids   map[string]ID
	order []string // a circle, oldest at next
	next  int
}

func (m *marks) init() { m.ids = make(map[string]ID) }

func (m *marks) put(name string, id ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.order) < markTable {
		m.order = append(m.order, name)
	} else {
		delete(m.ids, m.order[m.next])
		m.order[m.next] = name
		m.next = (m.next + 1) % markTable
	}
	m.ids[name] = id
}

func (m *marks) take(name string) ID {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := m.ids[name]
	delete(m.ids, name)
	return id
}

// Audit gives an audit ID under which the server's side finds the step id, once; "" on a nil bus. It is
// upstream's header Audit-ID, a random UUID: nobody else's means anything here.
func (b *Bus) Audit(id ID) string {
	if b == nil || id == 0 {
		return ""
	}
	var r [16]byte
	_, _ = rand.Read(r[:]) // never fails, says crypto/rand
	r[6], r[8] = r[6]&0x0f|0x40, r[8]&0x3f|0x80
	uuid := fmt.Sprintf("%x-%x-%x-%x-%x", r[0:4], r[4:6], r[6:8], r[8:10], r[10:])
	b.marks.put(uuid, id)
	b.typed.Store(time.Now().Unix())
	b.asked.Store(int64(id))
	return uuid
}

// Audited is the step that gave the audit ID, which is forgotten: it stands for one request. 0 if it
// was not this process, or too long ago.
func (b *Bus) Audited(uuid string) ID {
	if b == nil || uuid == "" {
		return 0
	}
	return b.marks.take(uuid)
}

// Dialled notes that the step id has opened a connection from that address ("IP:port") to another part of
// this process. It is for connections that serve one request, as those that are upgraded do: no header of it
// reaches the other side where upstream translates it on its way.
func (b *Bus) Dialled(from string, id ID) {
	if b == nil || id == 0 || from == "" {
		return
	}
	b.marks.put("from "+from, id)
}

// Dialler is the step that has opened the connection from that address, once; 0 if that is not known.
func (b *Bus) Dialler(from string) ID {
	if b == nil {
		return 0
	}
	return b.marks.take("from " + from)
}

// Entered notes that the request id is about to reach into an object's inside: key is the ObjectKey of a pod and
// the subresource, "exec", "attach", "portforward" or "log". A kubelet does it, and what that one is asked, or another
// machine tells, names no request.
func (b *Bus) Entered(key, subresource string, id ID) {
	if b == nil || id == 0 {
		return
	}
	b.marks.put("into "+key+"/"+subresource, id)
}

// Entering is the latest request that was to reach into that object in that way, once; 0 if none is known.
func (b *Bus) Entering(key, subresource string) ID {
	if b == nil {
		return 0
	}
	return b.marks.take("into " + key + "/" + subresource)
}

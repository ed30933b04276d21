package trace

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"sync"

	"github.com/tabernetes/tabernetes/core/goroutine"
)

type causeKey struct{}

// With is ctx for what the step id causes.
func With(ctx context.Context, id ID) context.Context {
	if id == 0 {
		return ctx
	}
	return context.WithValue(ctx, causeKey{}, id)
}

// Carried is the step that ctx says the caller works for; 0 is none.
func Carried(ctx context.Context) ID {
	id, _ := ctx.Value(causeKey{}).(ID)
	return id
}

// mark is the label of goroutines that says what they work for.
const mark = "cause"

// Mark has all that the calling goroutine does from now on, and those that it starts, be caused by
// the step id, until done is called by the same goroutine.
func Mark(id ID) (done func()) {
	if id == 0 {
		return func() {}
	}
	return goroutine.Mark(mark, strconv.FormatInt(int64(id), 10))
}

// Cause is the step that the caller works for: ctx says so, or else its goroutine. 0 is none.
func Cause(ctx context.Context) ID {
	if ctx != nil {
		if id, ok := ctx.Value(causeKey{}).(ID); ok {
			return id
		}
	}
	return Marked()
}

// Marked is the step that the calling goroutine works for.
func Marked() ID {
	id, err := strconv.ParseInt(goroutine.Value(mark), 10, 64)
	if err != nil {
		return 0
	}
	return ID(id)
}

// Carry takes the cause over into another context: that of a request's handler, which has nothing of
// its client's but the end.
func Carry(from, to context.Context) context.Context { return With(to, Cause(from)) }

// auditTable is how many requests can be under way whose cause is known by their audit ID.
const auditTable = 1024

// audits has the audit IDs that this process gave to its own requests. A request over TLS names its
// cause by one: upstream's header Audit-ID, a random UUID. Nobody else's means anything here.
type audits struct {
	mu    sync.Mutex
	ids   map[string]ID
	order []string // a circle, oldest at next
	next  int
}

func (a *audits) init() { a.ids = make(map[string]ID) }

// Audit gives an audit ID under which the server's side finds the step id, once; "" on a nil bus.
func (b *Bus) Audit(id ID) string {
	if b == nil || id == 0 {
		return ""
	}
	var r [16]byte
	_, _ = rand.Read(r[:]) // never fails, says crypto/rand
	r[6], r[8] = r[6]&0x0f|0x40, r[8]&0x3f|0x80
	uuid := fmt.Sprintf("%x-%x-%x-%x-%x", r[0:4], r[4:6], r[6:8], r[8:10], r[10:])
	a := &b.marks
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.order) < auditTable {
		a.order = append(a.order, uuid)
	} else {
		delete(a.ids, a.order[a.next])
		a.order[a.next] = uuid
		a.next = (a.next + 1) % auditTable
	}
	a.ids[uuid] = id
	return uuid
}

// Audited is the step that gave the audit ID, which is forgotten: it stands for one request. 0 if it
// was not this process, or too long ago.
func (b *Bus) Audited(uuid string) ID {
	if b == nil || uuid == "" {
		return 0
	}
	b.marks.mu.Lock()
	defer b.marks.mu.Unlock()
	id := b.marks.ids[uuid]
	delete(b.marks.ids, uuid)
	return id
}

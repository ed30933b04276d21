package dex

import (
	"container/list"
	"crypto/rand"
	"strings"
	"sync"
	"time"
)

// How many of each are kept; the oldest gives way to one more. Each is a few kilobytes at most, by the bounds of what a
// request may say.
const (
	maxRequests = 256
	maxCodes    = 256
	maxDevices  = 256
	maxRefresh  = 1024
)

// codesLive is how long a code can be redeemed, as dex has it.
const codesLive = 30 * time.Minute

// table keeps what was begun or issued, by a name that nobody can guess: for a while, and not too much of it.
type table[T any] struct {
	limit int
	life  time.Duration // 0 is without an end

	mu    sync.Mutex
	rows  map[string]*list.Element
	order *list.List // of row[T], the oldest first
}

type row[T any] struct {
	key   string
	until time.Time
	value T
}

func newTable[T any](limit int, life time.Duration) *table[T] {
	return &table[T]{limit: limit, life: life, rows: map[string]*list.Element{}, order: list.New()}
}

// add keeps value under key.
func (t *table[T]) add(key string, value T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.rows[key]; ok {
		t.drop(old)
	}
	for first := t.order.Front(); first != nil && (t.order.Len() >= t.limit || t.late(first)); first = t.order.Front() {
		t.drop(first)
	}
	t.rows[key] = t.order.PushBack(&row[T]{key, time.Now().Add(t.life), value})
}

// get is what is kept under key.
func (t *table[T]) get(key string) (value T, ok bool) {
	ok = t.change(key, func(kept *T) { value = *kept })
	return value, ok
}

// take is get for one caller only: it is not kept any more.
func (t *table[T]) take(key string) (value T, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.find(key)
	if e == nil {
		return value, false
	}
	t.drop(e)
	return e.Value.(*row[T]).value, true
}

// change has do change what is kept under key, while nobody else does.
func (t *table[T]) change(key string, do func(*T)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.find(key)
	if e == nil {
		return false
	}
	do(&e.Value.(*row[T]).value)
	return true
}

// find, late and drop are called with mu held.
func (t *table[T]) find(key string) *list.Element {
	e := t.rows[key]
	if e != nil && t.late(e) {
		t.drop(e)
		return nil
	}
	return e
}

func (t *table[T]) late(e *list.Element) bool {
	return t.life != 0 && time.Now().After(e.Value.(*row[T]).until)
}

func (t *table[T]) drop(e *list.Element) {
	t.order.Remove(e)
	delete(t.rows, e.Value.(*row[T]).key)
}

// secretName is a name that nobody can guess, of letters that need no quoting anywhere.
func secretName() string { return strings.ToLower(rand.Text()) }

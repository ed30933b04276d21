package jq

import (
	"encoding/json"
	"math/big"
	"reflect"
	"unsafe"
)

// entrySize is about what an entry of a map takes beside its bytes.
const entrySize = 64

// measure adds up what a run holds: what can be reached from gojq's own stacks, each thing once, in bytes.
// It stops at twice what may be held.
func (r *run) measure() int {
	m := measuring{seen: map[unsafe.Pointer]struct{}{}}
	for _, name := range []string{"scopes", "forks"} { // numbers only
		v := r.env.FieldByName(name)
		if v.Kind() == reflect.Pointer {
			v = v.Elem().FieldByName("data")
		}
		m.total += v.Cap() * int(v.Type().Elem().Size())
	}
	paths := (*stack)(r.env.FieldByName("paths").UnsafePointer())
	for _, s := range []*stack{r.stack, paths} {
		m.total += cap(s.data) * int(unsafe.Sizeof(block{}))
		for _, b := range s.data {
			m.add(b.value)
		}
	}
	values := *(*[]any)(unsafe.Pointer(r.env.FieldByName("values").UnsafeAddr()))
	m.total += cap(values) * int(unsafe.Sizeof(any(nil)))
	for _, v := range values {
		m.add(v)
	}
	for looked := 0; len(m.work) > 0 && m.total < 2*MaxHeld; looked++ {
		if looked%1024 == 0 && r.ctx.Err() != nil {
			break
		}
		v := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		m.look(v)
	}
	return m.total
}

type measuring struct {
	total int
	seen  map[unsafe.Pointer]struct{}
	work  []any // what is still to be looked into: a deep value takes no stack
}

// first says whether p comes up for the first time.
func (m *measuring) first(p unsafe.Pointer) bool {
	if _, ok := m.seen[p]; ok || p == nil {
		return false
	}
	m.seen[p] = struct{}{}
	return true
}

// add counts what has nothing in it, and keeps the rest for later.
func (m *measuring) add(v any) {
	switch v := v.(type) {
	case nil, bool:
	case int, float64:
		m.total += 8
	case string:
		m.text(v)
	case json.Number:
		m.text(string(v))
	case *big.Int:
		m.total += 32 + v.BitLen()/8
	default:
		m.work = append(m.work, v)
	}
}

func (m *measuring) text(s string) {
	m.total += 16
	if len(s) < 64 || m.first(unsafe.Pointer(unsafe.StringData(s))) {
		m.total += len(s)
	}
}

// look counts a value that may hold others.
func (m *measuring) look(v any) {
	switch v := v.(type) {
	case []any:
		if m.first(unsafe.Pointer(unsafe.SliceData(v))) {
			m.total += cap(v) * int(unsafe.Sizeof(any(nil)))
			for _, one := range v {
				m.add(one)
			}
		}
	case map[string]any:
		if m.first(reflect.ValueOf(v).UnsafePointer()) {
			m.total += entrySize * len(v)
			for key, one := range v {
				m.total += len(key)
				m.add(one)
			}
		}
	default:
		m.inner(reflect.ValueOf(v))
	}
}

// inner counts a value of gojq's own: a list that is iterated, a path, an iterator, an allocator.
func (m *measuring) inner(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if m.first(v.UnsafePointer()) {
			m.total += int(v.Type().Elem().Size())
			m.inner(v.Elem())
		}
	case reflect.Slice:
		if m.first(v.UnsafePointer()) {
			m.total += v.Cap() * int(v.Type().Elem().Size())
			for i := range v.Len() {
				m.inner(v.Index(i))
			}
		}
	case reflect.Map:
		if m.first(v.UnsafePointer()) {
			m.total += entrySize * v.Len()
		}
	case reflect.Struct:
		if !v.CanAddr() { // a copy whose fields can be reached
			at := reflect.New(v.Type()).Elem()
			at.Set(v)
			v = at
		}
		for i := range v.NumField() {
			m.inner(v.Field(i))
		}
	case reflect.Interface:
		if v.CanAddr() && v.NumMethod() == 0 {
			m.add(*(*any)(unsafe.Pointer(v.UnsafeAddr())))
		}
	}
}

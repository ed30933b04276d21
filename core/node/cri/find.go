package cri

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// newID makes an id as containerd does: 64 hexadecimal digits.
func newID() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// find looks an id up, in full or by a prefix that only one has.
func find[T any](m map[string]T, id string) (T, bool) {
	if v, ok := m[id]; ok {
		return v, true
	}
	var found T
	n := 0
	if id != "" {
		for full, v := range m {
			if strings.HasPrefix(full, id) {
				found, n = v, n+1
			}
		}
	}
	if n != 1 {
		var none T
		return none, false
	}
	return found, true
}

// container finds a container; the error is NotFound.
func (r *Runtime) container(id string) (*container, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := find(r.containers, id)
	if !ok {
		return nil, status.Errorf(codes.NotFound, "an error occurred when try to find container %q: not found", id)
	}
	return c, nil
}

// sandbox finds a sandbox; the error is NotFound.
func (r *Runtime) sandbox(id string) (*sandbox, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := find(r.sandboxes, id)
	if !ok {
		return nil, status.Errorf(codes.NotFound, "an error occurred when try to find sandbox %q: not found", id)
	}
	return s, nil
}

// reserve takes name for id; another holder is an error. The caller holds r.mu.
func (r *Runtime) reserve(kind, name, id string) error {
	if holder, taken := r.names[kind+" "+name]; taken && holder != id {
		return status.Errorf(codes.Unknown, "failed to reserve %s name %q: name %q is reserved for %q", kind, name, name, holder)
	}
	r.names[kind+" "+name] = id
	return nil
}

// release gives id's name back. The caller holds r.mu.
func (r *Runtime) release(kind, name, id string) {
	if r.names[kind+" "+name] == id {
		delete(r.names, kind+" "+name)
	}
}

// selects tells whether labels have all of selector.
func selects(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return true
}

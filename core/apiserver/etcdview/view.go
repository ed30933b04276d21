package etcdview

import (
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/trace"
)

// MaxKey bounds a key or prefix that is asked for, in bytes: Kubernetes' are made of a group, a
// resource, a namespace and a name, which are 253 bytes each at most.
const MaxKey = 2 << 10

// View looks into a store.
type View struct {
	store store.Inspector
	trace *trace.Bus
}

// New returns a view of a store; bus may be nil, and then no revision has a step.
func New(s store.Inspector, bus *trace.Bus) *View { return &View{store: s, trace: bus} }

// ErrNoKey says that there is nothing at a key, or was nothing at the revision.
var ErrNoKey = errors.New("nothing is stored there")

func checkKey(what, key string) error {
	if len(key) > MaxKey {
		return fmt.Errorf("%s of %d bytes is longer than any of Kubernetes', which have %d at most", what, len(key), MaxKey)
	}
	return nil
}

// bounded is a limit that somebody gave: most if it is none, or more.
func bounded(limit, most int) int {
	if limit <= 0 || limit > most {
		return most
	}
	return limit
}

package initializers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
)

// inForce is which initializers there are. It is read from the store when it is first needed, and again after each
// change: this server is the only one, so that what a request has written is in force when it is answered. Upstream
// looked once a second.
type inForce struct {
	// read reads all configurations; nil before they are served.
	read func(context.Context) ([]InitializerConfiguration, error)

	mu  sync.Mutex // held by who reads
	now atomic.Pointer[[]Initializer]
}

// readPatience bounds a reading.
const readPatience = 10 * time.Second

// all are they, in order.
func (f *inForce) all(ctx context.Context) ([]Initializer, error) {
	if now := f.now.Load(); now != nil {
		return *now, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now.Load(); now != nil {
		return *now, nil
	}
	return f.load(ctx)
}

// changed is called when a configuration has been written or removed.
func (f *inForce) changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Store(nil)
	// If it fails, who needs it tries again, and says so.
	_, _ = f.load(context.Background())
}

// load is called with mu held.
func (f *inForce) load(ctx context.Context) ([]Initializer, error) {
	if f.read == nil {
		return nil, errors.New("they are not served yet")
	}
	// Not as the request that happens to come first, which may not see all.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readPatience)
	defer cancel()
	configurations, err := f.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("list InitializerConfigurations: %w", err)
	}
	slices.SortFunc(configurations, func(a, b InitializerConfiguration) int { return strings.Compare(a.Name, b.Name) })
	all := []Initializer{}
	for _, c := range configurations {
		all = append(all, c.DeepCopy().Initializers...)
	}
	f.now.Store(&all)
	return all, nil
}

// of are the names of those that an object is for, each once.
func (f *inForce) of(ctx context.Context, a admission.Attributes) (names []string, err error) {
	all, err := f.all(ctx)
	if err != nil {
		return nil, err
	}
	for _, i := range all {
		matches := func(r admissionregistrationv1.Rule) bool {
			m := rules.Matcher{Attr: a, Rule: admissionregistrationv1.RuleWithOperations{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create}, Rule: r,
			}}
			return m.Matches()
		}
		if !slices.Contains(names, i.Name) && slices.ContainsFunc(i.Rules, matches) {
			names = append(names, i.Name)
		}
	}
	return names, nil
}

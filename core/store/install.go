package store

import (
	"slices"
	"sync"
	_ "unsafe" // for go:linkname

	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	_ "k8s.io/apiserver/pkg/storage/storagebackend/factory" // has the variable below

	"github.com/tabernetes/tabernetes/core/store/etcdshim"
)

// newETCD3Client is the variable through which upstream makes every client it
// uses: storages, raw storages, compactor, health checks and size monitor
// (k8s.io/apiserver/pkg/storage/storagebackend/factory/etcd3.go).
//
//go:linkname newETCD3Client k8s.io/apiserver/pkg/storage/storagebackend/factory.newETCD3Client
var newETCD3Client func(storagebackend.TransportConfig) (*etcdshim.Client, error)

var installed struct {
	once sync.Once
	mu   sync.RWMutex
	// stores in the order of installation.
	stores []*Store
	// offered are those of Offer.
	offered []*Store
}

// Install makes upstream's storage use s: for transports that name s.Endpoint()
// and, if s was installed last, for every other transport that names no installed
// store. It must be called before the servers that are to use s are built. The
// returned function takes s out again, clients that were made stay usable; with
// none installed, upstream dials etcd as ever. Calling it twice is harmless.
//
// The hooks themselves are set once and stay, because upstream reads them from
// goroutines of its own at any time.
func Install(s *Store) (uninstall func()) {
	return install(&installed.stores, s)
}

// Offer makes upstream's storage use s for transports that name s.Endpoint(), and for no other: it is
// the store of a server that is not the cluster's own. The returned function takes s out again, as
// Install's does.
func Offer(s *Store) (withdraw func()) {
	return install(&installed.offered, s)
}

// install puts s into one of the two lists.
func install(list *[]*Store, s *Store) (uninstall func()) {
	installed.once.Do(hook)
	installed.mu.Lock()
	defer installed.mu.Unlock()
	*list = append(*list, s)
	return sync.OnceFunc(func() {
		installed.mu.Lock()
		defer installed.mu.Unlock()
		if i := slices.Index(*list, s); i >= 0 {
			*list = slices.Delete(*list, i, i+1)
		}
	})
}

// hook sets upstream's two variables.
func hook() {
	dial := newETCD3Client
	newETCD3Client = func(c storagebackend.TransportConfig) (*etcdshim.Client, error) {
		if s := lookup(c.ServerList); s != nil {
			return s.Client(), nil
		}
		return dial(c)
	}
	feature.DefaultFeatureSupportChecker = &supportChecker{feature.DefaultFeatureSupportChecker}
}

// lookup returns the store that is meant by a list of servers, nil for none.
func lookup(servers []string) *Store {
	installed.mu.RLock()
	defer installed.mu.RUnlock()
	for _, list := range [][]*Store{installed.stores, installed.offered} {
		for _, s := range list {
			if slices.Contains(servers, s.endpoint) {
				return s
			}
		}
	}
	if n := len(installed.stores); n > 0 {
		return installed.stores[n-1]
	}
	return nil
}

// supportChecker answers for an installed store. Upstream's own asks the
// endpoints of a client for their version, and ours have none
// (k8s.io/apiserver/pkg/storage/feature/feature_support_checker.go). Without it
// the cacher refuses WatchList and consistent reads from cache.
type supportChecker struct {
	feature.FeatureSupportChecker
}

var _ feature.FeatureSupportChecker = (*supportChecker)(nil)

// Supports implements feature.FeatureSupportChecker.
func (c *supportChecker) Supports(f storage.Feature) bool {
	installed.mu.RLock()
	n := len(installed.stores)
	installed.mu.RUnlock()
	if n > 0 && f == storage.RequestWatchProgress {
		return true
	}
	return c.FeatureSupportChecker.Supports(f)
}

package initializers

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// asked is what a request may see. It is in the context of each that came by HTTP; what the server does for itself
// (the watch cache, repairs) has none, and sees everything.
type asked struct {
	view        view
	verb        string
	subresource string
	role        role

	// spec is what an initializer wants a pod's to be (podspec.go), while it is updated.
	spec *api.PodSpec

	mu   sync.Mutex
	made *made
}

// view is which of the objects that are not initialized are seen.
type view int

const (
	none view = iota
	// going are those that are being deleted: who removes finalizers has to see them.
	going
	all
)

// made is an object that a request has stored and that is not initialized.
type made struct {
	storage       storage.Interface
	key           string
	name, version string
	pending       []string
}

// madeOf is for what the storage has returned.
func madeOf(s storage.Interface, key string, o runtime.Object) *made {
	m, err := meta.Accessor(o)
	if err != nil {
		return nil
	}
	return &made{storage: s, key: key, name: m.GetName(), version: m.GetResourceVersion(), pending: pendingOf(o)}
}

type askedKey struct{}

func askedOf(ctx context.Context) *asked {
	a, _ := ctx.Value(askedKey{}).(*asked)
	return a
}

func (a *asked) setMade(m *made) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made = m
}

func (a *asked) getMade() *made {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.made
}

// parameter is what upstream's clients had for it until 1.13. Upstream's handlers drop parameters that they do not
// know, so that it is read before them.
const parameter = "includeUninitialized"

// seeing are the components that have to see more than they ask for, since the client libraries of today cannot ask:
// who empties a namespace, and who looks whether an owner is there. The informers of the controller manager are shared
// by controllers that must not see what is not initialized.
var seeing = map[string]view{
	serviceaccount.MakeUsername(systemNamespace, "namespace-controller"): all,
	serviceaccount.MakeUsername(systemNamespace, garbageCollector):       all,
	user.KubeControllerManager:                                           going,
}

// asksAll is whether a request has the parameter.
func asksAll(r *http.Request) bool {
	v := r.URL.Query().Get(parameter)
	return v == "true" || v == "1"
}

func viewOf(r *http.Request, info *genericapirequest.RequestInfo) view {
	if asksAll(r) {
		return all
	}
	u, ok := genericapirequest.UserFrom(r.Context())
	if !ok {
		return none
	}
	// A pod that was made for a node is gone when its kubelet says so. Secrets are another matter: pods would get them.
	if info.APIGroup == "" && info.Resource == "pods" && slices.Contains(u.GetGroups(), user.NodesGroup) {
		return going
	}
	return seeing[u.GetName()]
}

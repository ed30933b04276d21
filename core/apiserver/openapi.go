package apiserver

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/emicklei/go-restful/v3"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/handler3"
)

// lazyOpenAPI serves the native APIs' OpenAPI documents and builds each when it is first asked
// for. Upstream builds and serializes all of them before the server listens (PrepareRun of
// k8s.io/apiserver/pkg/server), a quarter of the time to /readyz in the tab, though most clusters
// there are never asked for more than a few.
//
// What is built, and how it is served, is upstream's (pkg/server/routes, kube-openapi handlers).
// Only /openapi/v3, the list of documents, is answered here: upstream names each document by the
// hash of its content, which would build it; here by the start of this server, since the native
// APIs do not change while it runs.
type lazyOpenAPI struct {
	server *genericapiserver.GenericAPIServer
	v2     *common.Config
	v3     *common.OpenAPIV3Config
	// start names every document of this server.
	start string

	buildV2 func() http.Handler

	mu     sync.Mutex
	groups map[string]*group // by group version path, e.g. "apis/apps/v1"
}

// group is the document of one group version.
type group struct {
	service *restful.WebService
	build   func() http.Handler
}

// The paths of kube-openapi's handlers.
const (
	pathV2 = "/openapi/v2"
	pathV3 = "/openapi/v3"
)

// installOpenAPI puts the handlers where upstream's own would be.
func installOpenAPI(server *genericapiserver.GenericAPIServer, v2 *common.Config, v3 *common.OpenAPIV3Config) {
	o := &lazyOpenAPI{server: server, v2: v2, v3: v3, start: rand.Text()}
	o.buildV2 = sync.OnceValue(func() http.Handler {
		m := mux.NewPathRecorderMux("openapi-v2")
		routes.OpenAPI{Config: o.v2}.InstallV2(server.Handler.GoRestfulContainer, m)
		return m
	})
	m := server.Handler.NonGoRestfulMux
	m.HandleFunc(pathV2, func(w http.ResponseWriter, r *http.Request) { o.buildV2().ServeHTTP(w, r) })
	m.HandleFunc(pathV3, o.serveRoot)
	m.HandlePrefix(pathV3+"/", http.HandlerFunc(o.serveGroup))
}

// list returns the group versions; all native ones are registered before the server runs.
func (o *lazyOpenAPI) list() map[string]*group {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.groups == nil {
		o.groups = map[string]*group{}
		for _, ws := range o.server.Handler.GoRestfulContainer.RegisteredWebServices() {
			path := strings.TrimPrefix(ws.RootPath(), "/")
			o.groups[path] = &group{service: ws, build: sync.OnceValue(func() http.Handler { return o.buildV3(ws) })}
		}
	}
	return o.groups
}

// buildV3 has upstream build the documents of a container that holds one web service only.
func (o *lazyOpenAPI) buildV3(ws *restful.WebService) http.Handler {
	one := restful.NewContainer()
	one.ServeMux = http.NewServeMux()
	one.Router(restful.CurlyRouter{})
	one.Add(ws)
	m := mux.NewPathRecorderMux("openapi-v3")
	routes.OpenAPI{V3Config: o.v3}.InstallV3(one, m)
	return m
}

func (o *lazyOpenAPI) serveRoot(w http.ResponseWriter, _ *http.Request) {
	root := handler3.OpenAPIV3Discovery{Paths: map[string]handler3.OpenAPIV3DiscoveryGroupVersion{}}
	for path := range o.list() {
		u := url.URL{Path: pathV3 + "/" + path, RawQuery: url.Values{"hash": {o.start}}.Encode()}
		root.Paths[path] = handler3.OpenAPIV3DiscoveryGroupVersion{ServerRelativeURL: u.String()}
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(root); err != nil {
		http.Error(w, fmt.Sprintf("list the OpenAPI documents: %v", err), http.StatusInternalServerError)
	}
}

func (o *lazyOpenAPI) serveGroup(w http.ResponseWriter, r *http.Request) {
	g, ok := o.list()[strings.TrimPrefix(r.URL.Path, pathV3+"/")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	// Upstream's handler would send a client with another hash than its own to its own.
	inner := r.Clone(r.Context())
	inner.URL.RawQuery = ""
	g.build().ServeHTTP(w, inner)
}

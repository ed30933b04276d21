package agnhost

import (
	"net/http"
	_ "unsafe" // for go:linkname

	_ "k8s.io/kubernetes/test/images/agnhost/webhook" // whose handlers are linked to
)

// admission has the paths that upstream's command registers (test/images/agnhost/webhook/main.go),
// each with upstream's handler. Upstream's own start puts them on the process's one
// http.DefaultServeMux and listens on the machine; two pods could not do so beside each other.
func admission() *http.ServeMux {
	mux := http.NewServeMux()
	for path, handler := range map[string]http.HandlerFunc{
		"/always-allow-delay-5s":    serveAlwaysAllowDelayFiveSeconds,
		"/always-deny":              serveAlwaysDeny,
		"/add-label":                serveAddLabel,
		"/pods":                     servePods,
		"/pods/attach":              serveAttachingPods,
		"/mutating-pods":            serveMutatePods,
		"/mutating-pods-sidecar":    serveMutatePodsSidecar,
		"/configmaps":               serveConfigmaps,
		"/mutating-configmaps":      serveMutateConfigmaps,
		"/custom-resource":          serveCustomResource,
		"/mutating-custom-resource": serveMutateCustomResource,
		"/crd":                      serveCRD,
	} {
		mux.HandleFunc(path, handler)
	}
	return mux
}

// The handlers are not exported. An upgrade that moves one fails to link.

//go:linkname serveAlwaysAllowDelayFiveSeconds k8s.io/kubernetes/test/images/agnhost/webhook.serveAlwaysAllowDelayFiveSeconds
func serveAlwaysAllowDelayFiveSeconds(http.ResponseWriter, *http.Request)

//go:linkname serveAlwaysDeny k8s.io/kubernetes/test/images/agnhost/webhook.serveAlwaysDeny
func serveAlwaysDeny(http.ResponseWriter, *http.Request)

//go:linkname serveAddLabel k8s.io/kubernetes/test/images/agnhost/webhook.serveAddLabel
func serveAddLabel(http.ResponseWriter, *http.Request)

//go:linkname servePods k8s.io/kubernetes/test/images/agnhost/webhook.servePods
func servePods(http.ResponseWriter, *http.Request)

//go:linkname serveAttachingPods k8s.io/kubernetes/test/images/agnhost/webhook.serveAttachingPods
func serveAttachingPods(http.ResponseWriter, *http.Request)

//go:linkname serveMutatePods k8s.io/kubernetes/test/images/agnhost/webhook.serveMutatePods
func serveMutatePods(http.ResponseWriter, *http.Request)

//go:linkname serveMutatePodsSidecar k8s.io/kubernetes/test/images/agnhost/webhook.serveMutatePodsSidecar
func serveMutatePodsSidecar(http.ResponseWriter, *http.Request)

//go:linkname serveConfigmaps k8s.io/kubernetes/test/images/agnhost/webhook.serveConfigmaps
func serveConfigmaps(http.ResponseWriter, *http.Request)

//go:linkname serveMutateConfigmaps k8s.io/kubernetes/test/images/agnhost/webhook.serveMutateConfigmaps
func serveMutateConfigmaps(http.ResponseWriter, *http.Request)

//go:linkname serveCustomResource k8s.io/kubernetes/test/images/agnhost/webhook.serveCustomResource
func serveCustomResource(http.ResponseWriter, *http.Request)

//go:linkname serveMutateCustomResource k8s.io/kubernetes/test/images/agnhost/webhook.serveMutateCustomResource
func serveMutateCustomResource(http.ResponseWriter, *http.Request)

//go:linkname serveCRD k8s.io/kubernetes/test/images/agnhost/webhook.serveCRD
func serveCRD(http.ResponseWriter, *http.Request)

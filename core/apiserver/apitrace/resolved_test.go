package apitrace

import (
	"net/http"
	"net/http/httptest"
	"testing"

	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/tabernetes/tabernetes/core/trace"
)

// counting counts how often a path is taken apart.
type counting struct {
	apirequest.RequestInfoResolver
	asked int
}

func (c *counting) NewRequestInfo(r *http.Request) (*apirequest.RequestInfo, error) {
	c.asked++
	return c.RequestInfoResolver.NewRequestInfo(r)
}

// TestAPathIsTakenApartOnce: upstream's filter has what was found for the trace, and who asks again has one of their own.
func TestAPathIsTakenApartOnce(t *testing.T) {
	config, _ := askedOf(nil)
	count := &counting{RequestInfoResolver: config.RequestInfoResolver}
	config.RequestInfoResolver = count
	Front(trace.New(), config)
	var filters, again *apirequest.RequestInfo
	handler := config.BuildHandlerChainFunc(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		filters, _ = apirequest.RequestInfoFrom(r.Context())
		again, _ = config.RequestInfoResolver.NewRequestInfo(r)
	}), config)
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/api/v1/namespaces/default/pods", http.NoBody))
	if count.asked != 2 {
		t.Errorf("a path is taken apart %d times, want once for the request and once for who asks again", count.asked)
	}
	if filters == nil || again == nil || filters == again || filters.Resource != "pods" || again.Namespace != "default" {
		t.Errorf("the filter has %+v, who asks again %+v", filters, again)
	}
}

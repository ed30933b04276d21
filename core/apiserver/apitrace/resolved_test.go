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

// TestAPathIsTakenApartOnce: upstream's filter has what was found for the trace. Who asks again has one of their own,
// and a request that is not traced is as upstream has it.
func TestAPathIsTakenApartOnce(t *testing.T) {
	count := &counting{RequestInfoResolver: resolver}
	var first, second *apirequest.RequestInfo
	f := &front{bus: trace.New(), resolver: count, next: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for _, info := range []**apirequest.RequestInfo{&first, &second} {
			var err error
			if *info, err = (resolved{count}).NewRequestInfo(r); err != nil {
				t.Error(err)
			}
		}
	})}
	for _, c := range []struct {
		method string
		asked  int
	}{{http.MethodPost, 2}, {http.MethodGet, 2}} {
		count.asked = 0
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(c.method, "/api/v1/namespaces/default/pods", http.NoBody))
		if count.asked != c.asked {
			t.Errorf("%s: taken apart %d times, want %d", c.method, count.asked, c.asked)
		}
		if first == second || first.Resource != "pods" || second.Namespace != "default" {
			t.Errorf("%s: %+v, then %+v", c.method, first, second)
		}
	}
}

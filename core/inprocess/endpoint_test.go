package inprocess

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
)

func whoAmI(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, Caller(r.Context())) }

func get(t *testing.T, url string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

func TestEndpointTellsWhoCalls(t *testing.T) {
	transport := &Transport{}
	transport.Set(http.HandlerFunc(whoAmI))
	a, b := transport.Endpoint("a", "alice"), transport.Endpoint("b", "bob")
	defer a.Close()
	defer b.Close()
	for url, want := range map[string]string{a.URL(): "alice", b.URL(): "bob"} {
		if got, err := get(t, url+"/"); got != want || err != nil {
			t.Errorf("%s: %q, %v", url, got, err)
		}
	}
}

// TestEndpointNamesTheProgram: only where the client says that it is this process, as client-go's
// clients do unless told otherwise.
func TestEndpointNamesTheProgram(t *testing.T) {
	transport := &Transport{}
	transport.Set(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.UserAgent()) }))
	e := transport.Endpoint("node-1", "").As("kubelet")
	defer e.Close()
	for _, c := range [][2]string{
		{rest.DefaultKubernetesUserAgent(), "kubelet" + strings.TrimPrefix(rest.DefaultKubernetesUserAgent(), processName)},
		{"kubectl/v1.36.3 (linux/amd64)", "kubectl/v1.36.3 (linux/amd64)"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("User-Agent", c[0])
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if string(text) != c[1] || err != nil {
			t.Errorf("%q arrived as %q, %v", c[0], text, err)
		}
		if got := r.UserAgent(); got != c[0] {
			t.Errorf("the client's own request says %q now", got)
		}
	}
}

func TestClosedEndpointRefuses(t *testing.T) {
	transport := &Transport{}
	transport.Set(http.HandlerFunc(whoAmI))
	e := transport.Endpoint("gone", "")
	e.Close()
	if _, err := get(t, e.URL()); !errors.Is(err, ErrNoHandler) || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
}

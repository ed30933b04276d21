package inprocess

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
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

func TestClosedEndpointRefuses(t *testing.T) {
	transport := &Transport{}
	transport.Set(http.HandlerFunc(whoAmI))
	e := transport.Endpoint("gone", "")
	e.Close()
	if _, err := get(t, e.URL()); !errors.Is(err, ErrNoHandler) || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
}

package command

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestObjectOfARequest: what kubectl made is told without secrets; what is no object, or long, is not.
func TestObjectOfARequest(t *testing.T) {
	for _, c := range []struct{ method, body, want string }{
		{http.MethodPost, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"key":"CANARY"}}`, "v1 Secret s"},
		{http.MethodPut, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generateName":"g-"},"spec":{"args":["CANARY"]}}`, "apps/v1 Deployment "},
		{http.MethodPost, `{"kind":"Pod","x":"CANARY"}`, ""},
		{http.MethodPost, `["CANARY"]`, ""},
		{http.MethodPost, "CANARY", ""},
		{http.MethodPost, "", ""},
		{http.MethodPatch, `{"apiVersion":"v1","kind":"Secret"}`, ""},
		{http.MethodPost, `{"apiVersion":"v1","kind":"` + strings.Repeat("CANARY", maxObject) + `"}`, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, "http://x/?fieldValidation=Strict", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		g := object(r)
		if (g == nil) != (c.want == "") {
			t.Errorf("%.40s: %+v", c.body, g)
		}
		if g == nil {
			continue
		}
		if got := g.APIVersion + " " + g.Kind + " " + g.Name; got != c.want || g.Validated != "the server, Strict" {
			t.Errorf("%s: %q, %q", c.body, got, g.Validated)
		}
		if text := fmt.Sprintf("%+v", g); strings.Contains(text, "CANARY") {
			t.Error(text)
		}
	}
}

// TestACommandHasItsSession: two shells that run the same line at the same moment have their own command.
func TestACommandHasItsSession(t *testing.T) {
	bus := trace.New()
	for _, name := range []string{"1", "2"} {
		startTrace(InSession(t.Context(), name), bus).name(&cobra.Command{Use: "kubectl"}, []string{"get", "pods"}, asItIs)
	}
	startTrace(t.Context(), bus).name(&cobra.Command{Use: "kubectl"}, nil, asItIs)
	steps, _ := bus.All()
	for i, want := range []string{"1", "2", ""} {
		if got := steps[i].Details.(*Begun).Session; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func asItIs(line string) string { return line }

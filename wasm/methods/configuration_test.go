package methods

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/clusterfile"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// configurable takes whatever its own bounds allow.
type configurable struct{ kept configuration.Kept }

func (c *configurable) Configuration() configuration.Files { return c.kept.Now.Clone() }
func (c *configurable) ConfigurationsBefore() int          { return len(c.kept.Before) }

func (c *configurable) CheckConfiguration(_ context.Context, f configuration.Files) error {
	return f.Check()
}

func (c *configurable) Configure(_ context.Context, f configuration.Files) (cluster.Configured, error) {
	if err := f.Check(); err != nil {
		return cluster.Configured{}, err
	}
	did := cluster.Configured{Changed: f.Changed(c.kept.Now), Restarted: []string{"kube-apiserver"}}
	c.kept = c.kept.Next(f)
	return did, nil
}

func (c *configurable) RestoreConfiguration(context.Context) (cluster.Configured, error) {
	back, ok := c.kept.Back()
	if !ok {
		return cluster.Configured{}, errors.New("there is none before")
	}
	c.kept = back
	return cluster.Configured{AtStart: true}, nil
}

// TestConfigurationAnswers: what a page may ask and how it is answered, with parameters as they should be and
// otherwise.
func TestConfigurationAnswers(t *testing.T) {
	one := &configurable{}
	await := func(context.Context) (Configurable, error) { return one, nil }
	w := &wire{notify: make(chan struct{}, 1)}
	w.server = port.NewServer(t.Context(), w, map[string]port.Handler{
		"configuration": Configuration(await), "checkConfiguration": CheckConfiguration(await),
		"configure": Configure(await), "restoreConfiguration": RestoreConfiguration(await), "accessControls": AccessControls(trace.New()),
	})
	for id, c := range []struct{ method, params, want string }{
		{"configuration", `{}`, `"files":{}`},
		{"checkConfiguration", `{"files":{"tokens.csv":"a,b,c"}}`, `"problems":[]`},
		{"checkConfiguration", `{"files":{"../x":"a"}}`, "is no name"},
		{"checkConfiguration", `{"files":{"kube-apiserver.flags":"--tls-cert-file=/x\nv"}}`, "line 1: --tls-cert-file cannot be set"},
		{"checkConfiguration", `{"files":{"kube-apiserver.flags":"--feature-gates=A=true"}}`, "--feature-gates takes effect only when a cluster starts"},
		{"checkConfiguration", `{"files":7}`, "files"},
		{"configure", `{"files":{"../x":"a"}}`, "is no name"},
		{"configure", `{"files":{"tokens.csv":"a,b,c","empty":" \n"}}`, `"changed":["tokens.csv"],"reloaded":[],"restarted":["kube-apiserver"]`},
		{"configuration", `{}`, `"before":1,"files":{"tokens.csv":"a,b,c"}`},
		{"configure", `[]`, "configure"},
		{"restoreConfiguration", `{}`, `"atStart":true`},
		{"restoreConfiguration", `{}`, "there is none before"},
		{"accessControls", `{}`, `{"name":"NodeRestriction","on":false,"default":true}`},
	} {
		w.server.Receive(port.In{Type: "call", ID: id, Method: c.method, Params: json.RawMessage(c.params)})
		o := w.until(t, func(o port.Out) bool { return o["id"] == id })
		text, err := json.Marshal(map[string]any(o))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(sorted(t, text), c.want) && !strings.Contains(string(text), c.want) {
			t.Errorf("%s %s: %s; want %s", c.method, c.params, text, c.want)
		}
	}
}

// sorted has the fields of JSON in the order of their names.
func sorted(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestAuditIsStreamed: what was recorded before, and what comes while somebody reads.
func TestAuditIsStreamed(t *testing.T) {
	ring := apiserver.NewAuditRing(1 << 10)
	write := func(line string) {
		if _, err := ring.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"auditID":"one"}`)
	w := &wire{notify: make(chan struct{}, 1)}
	w.server = port.NewServer(t.Context(), w, map[string]port.Handler{
		"audit": Audit(func(context.Context) (*apiserver.AuditRing, error) { return ring, nil }),
	})
	w.server.Receive(port.In{Type: "call", ID: 1, Method: "audit", Params: json.RawMessage(`{}`)})
	said := func(want string) func(port.Out) bool {
		return func(o port.Out) bool {
			chunk, _ := o["chunk"].([]byte)
			return strings.Contains(string(chunk), want)
		}
	}
	w.until(t, said(`{"event":{"auditID":"one"}}`))
	write(`{"auditID":"two"}`)
	w.until(t, said(`{"event":{"auditID":"two"}}`))
	w.server.Receive(port.In{Type: "cancel", ID: 1})
	w.until(t, func(o port.Out) bool { return o["type"] == "error" })
}

// exported has nothing but a configuration.
type exported struct {
	Exporting
	files configuration.Files
}

func (e exported) Configuration() configuration.Files { return e.files }

func (e exported) State() (mvcc.State, error) {
	return mvcc.State{Rev: 7, KVs: []mvcc.KV{{Key: "/registry/zebras/z", Value: "z", CreateRevision: 5, ModRevision: 6, Version: 1}}}, nil
}

func (e exported) CopyDisks(persist.Sink) (left, err error) { return errors.New("too much of it"), nil }

// TestNothingUnreadableIsTaken: no file is made of a store that is encrypted, if the keys are not to be in it.
func TestNothingUnreadableIsTaken(t *testing.T) {
	w := &wire{notify: make(chan struct{}, 1)}
	await := func(context.Context) (Exporting, error) {
		return exported{files: configuration.Files{configuration.Encryption: []byte("kind: EncryptionConfiguration")}}, nil
	}
	w.server = port.NewServer(t.Context(), w, map[string]port.Handler{"exportCluster": ExportCluster(await, "")})
	w.server.Receive(port.In{Type: "call", ID: 1, Method: "exportCluster", Params: json.RawMessage(`{}`)})
	o := w.until(t, func(o port.Out) bool { return o["id"] == 1 })
	if text, err := json.Marshal(map[string]any(o)); err != nil || !strings.Contains(string(text), "encrypts what is stored") {
		t.Errorf("%s, %v", text, err)
	}
}

// shelf has one place, and what was kept there beside the store.
type shelf struct {
	dir           string
	configuration bool
	text          []byte
}

func (s *shelf) Open(_ context.Context, name string) (persist.Sink, error) {
	return persist.OpenDir(filepath.Join(s.dir, name))
}
func (s *shelf) SaveKeys(persist.Sink, string) error { return nil }
func (s *shelf) SaveConfiguration(_ persist.Sink, file string) (err error) {
	s.configuration = true
	s.text, err = os.ReadFile(file)
	return err
}

// TestTheConfigurationGoesAlong: into a copy, whole; into a file whole with Secrets, and without them if it has none;
// and out of it. One that nobody wrote is refused, and nothing is made.
func TestTheConfigurationGoesAlong(t *testing.T) {
	audit, tokens := configuration.Files{configuration.Audit: []byte("kind: Policy")}, configuration.Files{
		configuration.Audit: []byte("kind: Policy"), configuration.Tokens: []byte("hunter2,reader,7\n"),
	}
	for name, c := range map[string]struct {
		files   configuration.Files
		secrets bool
		goes    bool
	}{
		"nothing": {nil, true, false}, "without secrets": {audit, false, true}, "secrets that are asked for": {tokens, true, true},
		"secrets that are not": {tokens, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{dir: t.TempDir()}
			await := func(context.Context) (Exporting, error) { return exported{files: c.files}, nil }
			w := &wire{notify: make(chan struct{}, 1)}
			w.server = port.NewServer(t.Context(), w, map[string]port.Handler{
				"exportCluster": ExportCluster(await, t.TempDir()), "copyCluster": CopyCluster(await, s), "importCluster": ImportCluster(s),
			})
			ends := func(id int) (o port.Out) {
				return w.until(t, func(o port.Out) bool { return o["id"] == id && (o["type"] == "result" || o["type"] == "error") })
			}
			w.server.Receive(port.In{Type: "call", ID: 1, Method: "copyCluster", Params: json.RawMessage(`{"name":"copy"}`)})
			if o := ends(1); o["type"] != "result" || s.configuration != (len(c.files) > 0) {
				t.Errorf("copied: %v, %+v", o, s)
			} else if text, err := json.Marshal(o["value"]); err != nil || string(text) != `{"left":"too much of it"}` {
				t.Errorf("what was left: %s, %v", text, err)
			}
			w.server.Receive(port.In{Type: "call", ID: 2, Method: "exportCluster", Params: json.RawMessage(fmt.Sprintf(`{"secrets":%t}`, c.secrets))})
			if o := ends(2); o["type"] != "result" {
				t.Fatalf("exported: %v", o)
			}
			file := w.body()
			if strings.Contains(file, base64.StdEncoding.EncodeToString([]byte("hunter2,reader,7\n"))) != (c.secrets && c.files.Has(configuration.Tokens)) {
				t.Error("the file has a token that nobody asked for, or has it not")
			}
			s.configuration, s.text = false, nil
			w.server.Receive(port.In{Type: "call", ID: 3, Method: "importCluster", Params: json.RawMessage(`{"name":"import"}`)})
			w.server.Receive(port.In{Type: "data", ID: 3, Chunk: []byte(file)})
			w.server.Receive(port.In{Type: "end", ID: 3})
			if o := ends(3); o["type"] != "result" || s.configuration != c.goes {
				t.Fatalf("imported: %v, %+v", o, s)
			}
			if kept, err := configuration.Parse(s.text); c.goes && (err != nil || len(kept.Now) != len(c.files) || len(kept.Before) != 0) {
				t.Errorf("%+v, %v", kept, err)
			}
		})
	}
}

// TestAFileReachesNothingOutside: where the control plane may reach is not for whoever wrote the file that is imported.
func TestAFileReachesNothingOutside(t *testing.T) {
	named := configuration.Files{configuration.Audit: []byte("kind: Policy"), configuration.Outside: []byte("192.0.2.1:443\n")}
	text, err := json.Marshal(configuration.Kept{Now: named, Before: []configuration.Files{named.Clone()}})
	if err != nil {
		t.Fatal(err)
	}
	state, _ := exported{}.State()
	var file bytes.Buffer
	if err := clusterfile.Write(&file, state, clusterfile.Options{Configuration: text}); err != nil {
		t.Fatal(err)
	}
	s, w := &shelf{dir: t.TempDir()}, &wire{notify: make(chan struct{}, 1)}
	w.server = port.NewServer(t.Context(), w, map[string]port.Handler{"importCluster": ImportCluster(s)})
	w.server.Receive(port.In{Type: "call", ID: 1, Method: "importCluster", Params: json.RawMessage(`{"name":"import"}`)})
	w.server.Receive(port.In{Type: "data", ID: 1, Chunk: file.Bytes()})
	w.server.Receive(port.In{Type: "end", ID: 1})
	o := w.until(t, func(o port.Out) bool { return o["id"] == 1 && (o["type"] == "result" || o["type"] == "error") })
	kept, err := configuration.Parse(s.text)
	if o["type"] != "result" || err != nil || len(kept.Before) != 1 {
		t.Fatalf("%v, %+v, %v", o, kept, err)
	}
	for _, f := range append(kept.Before, kept.Now) {
		if f.Has(configuration.Outside) || !f.Has(configuration.Audit) {
			t.Errorf("%s", f)
		}
	}
}

const policiesOfABAC = `{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"user": "alice", "namespace": "*", "resource": "*", "apiGroup": "*"}}
{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"group": "readers", "namespace": "a", "resource": "pods", "readonly": true}}
{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"user": "bob", "group": "staff", "namespace": "a", "resource": "*", "readonly": true}}
{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"user": "carol", "namespace": "other", "resource": "*"}}
{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"group": "*", "nonResourcePath": "/version", "readonly": true}}
`

// TestWhoMay: upstream's evaluator, over what an API lists.
func TestWhoMay(t *testing.T) {
	lists := map[string]string{
		"roles":        `{"metadata":{"name":"reader","namespace":"a"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}`,
		"rolebindings": `{"metadata":{"name":"b","namespace":"a"},"subjects":[{"kind":"User","name":"jane"},{"kind":"User","name":"jane"}],"roleRef":{"kind":"Role","name":"reader"}}`,
		"clusterroles": `{"metadata":{"name":"all"},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},{"verbs":["get"],"nonResourceURLs":["/healthz"]}]}`,
		"clusterrolebindings": `{"metadata":{"name":"c"},"subjects":[{"kind":"ServiceAccount","name":"sa","namespace":"b"}],"roleRef":{"kind":"ClusterRole","name":"all"}},
			{"metadata":{"name":"d"},"subjects":[{"kind":"Group","name":"lost"}],"roleRef":{"kind":"ClusterRole","name":"not-there"}}`,
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"metadata":{},"items":[` + lists[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]] + `]}`))
	}))
	t.Cleanup(api.Close)
	var files configuration.Files
	w := &wire{notify: make(chan struct{}, 1)}
	w.server = port.NewServer(t.Context(), w, map[string]port.Handler{
		"whoMay": WhoMay(func(context.Context) (*rest.Config, error) {
			return &rest.Config{Host: api.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}, nil
		}, func(context.Context) (configuration.Files, error) { return files, nil }),
	})
	masters, account := `{"kind":"Group","name":"system:masters"}`, `{"kind":"ServiceAccount","namespace":"b","name":"sa","by":"RBAC"}`
	chain := func(types ...string) configuration.Files {
		text := "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n"
		for _, one := range types {
			text += "- {type: " + one + ", name: the-" + strings.ToLower(one) + "}\n"
		}
		return configuration.Files{configuration.Authorization: []byte(text), configuration.ABAC: []byte(policiesOfABAC)}
	}
	abac := `{"kind":"User","name":"alice","by":"ABAC"},{"kind":"Group","name":"readers","by":"ABAC"},{"kind":"User","name":"bob","group":"staff","by":"ABAC"}`
	const reads = `{"verb":"get","resource":"pods","namespace":"a"}`
	for id, c := range []struct {
		params, want string
		files        configuration.Files
	}{
		{reads, `"subjects":[` + masters + `,` + account + `,{"kind":"User","name":"jane","by":"RBAC"}]`, nil},
		{reads, `"chain":[{"type":"Node","name":"node"},{"type":"RBAC","name":"rbac"}]`, nil},
		{reads, `"chain":[{"type":"AlwaysAllow","name":"alwaysallow"}],"subjects":[` + masters + `]`, configuration.Files{configuration.APIServerFlags: []byte("--authorization_mode=AlwaysAllow\n")}},
		{reads, `"chain":[{"type":"AlwaysDeny","name":"the-alwaysdeny"},{"type":"ABAC","name":"the-abac"}],"subjects":[` + masters + `,` + abac + `]`, chain("AlwaysDeny", "ABAC")},
		{reads, `"subjects":[` + masters + `,` + abac + `,` + account + `,{"kind":"User","name":"jane","by":"RBAC"}]`, chain("ABAC", "RBAC")},
		{`{"verb":"delete","resource":"pods","namespace":"a"}`, `"subjects":[` + masters + `,{"kind":"User","name":"alice","by":"ABAC"}]`, chain("ABAC")},
		{`{"verb":"get","path":"/version"}`, `"subjects":[` + masters + `,{"kind":"Group","name":"system:authenticated","by":"ABAC"}]`, chain("ABAC")},
		{reads, `authorization.yaml`, configuration.Files{configuration.Authorization: []byte("{")}},
		{reads, `abac.jsonl`, configuration.Files{configuration.Authorization: chain("ABAC")[configuration.Authorization], configuration.ABAC: []byte("{")}},
		{`{"verb":"get","resource":"pods","namespace":"b"}`, `"subjects":[` + masters + `,` + account + `]`, nil},
		{`{"verb":"get","path":"/healthz"}`, `"subjects":[` + masters + `,` + account + `]`, nil},
		{`{"verb":"get","path":"/metrics"}`, `"subjects":[` + masters + `]`, nil},
		{`{"verb":"get","resource":"pods"}`, `not-there`, nil},
		{`{"verb":7}`, `who may`, nil},
	} {
		files = c.files
		w.server.Receive(port.In{Type: "call", ID: id, Method: "whoMay", Params: json.RawMessage(c.params)})
		o := w.until(t, func(o port.Out) bool { return o["id"] == id })
		text, err := json.Marshal(map[string]any(o))
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %s, %v; want %s", c.params, text, err, c.want)
		}
	}
}

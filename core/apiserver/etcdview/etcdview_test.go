package etcdview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // as the apiserver does for every group

	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/trace"
)

func open(t testing.TB) (*mvcc.Engine, *View) {
	t.Helper()
	e, err := mvcc.Open(mvcc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, New(e, nil)
}

func put(t testing.TB, e *mvcc.Engine, key string, value []byte) {
	t.Helper()
	if _, err := e.Update(func(tx *mvcc.Tx) error {
		_, err := tx.Put(key, value, 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, e *mvcc.Engine, key string) {
	t.Helper()
	if _, err := e.Update(func(tx *mvcc.Tx) error {
		_, err := tx.Delete(key)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// stored is an object as the apiserver writes it.
func stored(t testing.TB, version schema.GroupVersion, object runtime.Object) []byte {
	t.Helper()
	var b bytes.Buffer
	serializer := protobuf.NewSerializer(legacyscheme.Scheme, legacyscheme.Scheme)
	if err := legacyscheme.Codecs.EncoderForVersion(serializer, version).Encode(object, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func names(p *Page) (names []string) {
	for _, e := range p.Entries {
		names = append(names, fmt.Sprint(e.Name, " ", e.Keys))
	}
	return names
}

func TestKeysAreATree(t *testing.T) {
	e, v := open(t)
	for _, key := range []string{"compact_rev_key", "/registry/pods/a/one", "/registry/pods/a/two", "/registry/pods/b/one", "/registry/nodes/n", "/registry/podsecurity/x", "/registry/pods"} {
		put(t, e, key, []byte("value"))
	}
	for prefix, want := range map[string][]string{
		"":                  {"/ 6", "compact_rev_key 0"},
		"/":                 {"/registry/ 6"},
		"/registry/":        {"/registry/nodes/ 1", "/registry/pods 0", "/registry/pods/ 3", "/registry/podsecurity/ 1"},
		"/registry/pods/":   {"/registry/pods/a/ 2", "/registry/pods/b/ 1"},
		"/registry/pods/a/": {"/registry/pods/a/one 0", "/registry/pods/a/two 0"},
		"/nothing/":         nil,
	} {
		for _, limit := range []int{0, 1, 2} {
			var got []string
			for after := ""; ; {
				page, err := v.Keys(prefix, after, limit)
				if err != nil {
					t.Fatal(err)
				}
				if limit > 0 && len(page.Entries) > limit {
					t.Fatalf("%d entries, of %d asked for", len(page.Entries), limit)
				}
				got = append(got, names(page)...)
				if !page.More {
					break
				}
				after = page.Entries[len(page.Entries)-1].Name
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d at a time below %q: %v, want %v", limit, prefix, got, want)
			}
		}
	}
}

func TestPagesAreBounded(t *testing.T) {
	e, v := open(t)
	if _, err := e.Update(func(tx *mvcc.Tx) error {
		for i := range maxScan + 5*scanAtOnce {
			if _, err := tx.Put(fmt.Sprintf("/many/%06d", i), nil, 0); err != nil {
				return err
			}
		}
		_, err := tx.Put("/more/x", nil, 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	page, err := v.Keys("/", "", 0)
	if err != nil || len(page.Entries) != 1 || !page.Entries[0].AtLeast || !page.More {
		t.Fatalf("%+v, %v", page, err)
	}
	page, err = v.Keys("/", page.Entries[0].Name, 0)
	if err != nil || len(page.Entries) != 1 || page.Entries[0].Name != "/more/" || page.More {
		t.Errorf("after what was too much to count: %+v, %v", page, err)
	}
	page, err = v.Keys("/many/", "", 1<<30)
	if err != nil || len(page.Entries) != MaxEntries || !page.More {
		t.Errorf("%d entries, %v", len(page.Entries), err)
	}
	long := strings.Repeat("x", MaxKey+1)
	for what, err := range map[string]error{
		"prefix": second(v.Keys(long, "", 0)), "after": second(v.Keys("", long, 0)),
		"key": second(v.Object(long, Options{})), "history": second(v.History(long, 0, 0)),
	} {
		if err == nil {
			t.Errorf("a %s of %d bytes is looked up", what, len(long))
		}
	}
}

func second[T any](_ T, err error) error { return err }

func pod(image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}},
	}
}

func TestObjectsAreDecoded(t *testing.T) {
	e, v := open(t)
	put(t, e, "/registry/pods/default/web", stored(t, corev1.SchemeGroupVersion, pod("nginx:1")))
	put(t, e, "/registry/x/y", []byte(`{"apiVersion":"example.org/v1","kind":"Crontab","spec":{"replicas":1000000}}`))
	put(t, e, "/registry/crd", []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a"},"spec":{"group":"example.org"}}`))
	put(t, e, "/registry/apiservice", []byte(`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.apps"}}`))
	put(t, e, "compact_rev_key", []byte("12"))
	for _, c := range []struct{ key, format, encoding, kind, text string }{
		{"/registry/pods/default/web", "", Protobuf, "Pod", "image: nginx:1"},
		{"/registry/pods/default/web", "json", Protobuf, "Pod", `"apiVersion": "v1"`},
		{"/registry/x/y", "yaml", JSON, "Crontab", "replicas: 1000000\n"},
		{"/registry/crd", "yaml", JSON, "CustomResourceDefinition", "group: example.org"},
		{"/registry/apiservice", "yaml", JSON, "APIService", "name: v1.apps"},
		{"compact_rev_key", "yaml", Plain, "", "12"},
	} {
		o, err := v.Object(c.key, Options{Format: c.format})
		if err != nil || o.Encoding != c.encoding || o.Kind != c.kind || !strings.Contains(o.Text, c.text) || o.Problem != "" {
			t.Errorf("%s: %+v, %v", c.key, o, err)
		}
	}
	if _, err := v.Object("/registry/none", Options{}); !errors.Is(err, ErrNoKey) {
		t.Errorf("a key that is not there: %v", err)
	}
	if _, err := v.Object("compact_rev_key", Options{Format: "go-template"}); err == nil {
		t.Error("any format will do")
	}
}

func TestEarlierVersions(t *testing.T) {
	e, v := open(t)
	const key = "/registry/pods/default/web"
	put(t, e, "other", nil) // revision 2
	for n := range 3 {      // 3, 4, 5
		put(t, e, key, stored(t, corev1.SchemeGroupVersion, pod(fmt.Sprint("nginx:", n+1))))
	}
	remove(t, e, key)                                                                         // 6
	put(t, e, key, stored(t, corev1.SchemeGroupVersion, pod("nginx:again")))                  // 7
	put(t, e, "/registry/pods/default/later", stored(t, corev1.SchemeGroupVersion, pod("x"))) // 8

	for revision, want := range map[int64]string{0: "nginx:again", 9: "nginx:again", 7: "nginx:again", 6: "", 5: "nginx:3", 4: "nginx:2", 3: "nginx:1", 2: ""} {
		o, err := v.Object(key, Options{Revision: revision})
		switch {
		case want == "" && !errors.Is(err, ErrNoKey):
			t.Errorf("at %d: %+v, %v", revision, o, err)
		case want != "" && (err != nil || !strings.Contains(o.Text, want)):
			t.Errorf("at %d: %+v, %v", revision, o, err)
		}
	}
	h, err := v.History(key, 0, 0)
	if err != nil || !h.Begins || h.More {
		t.Fatalf("%+v, %v", h, err)
	}
	got := ""
	for _, x := range h.Versions {
		got += fmt.Sprint(x.Revision, " ", x.Change, " ", x.Version, ", ")
	}
	if want := "7 create 1, 6 delete 0, 5 update 3, 4 update 2, 3 create 1, "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	h, err = v.History(key, 7, 2)
	if err != nil || !h.More || h.Begins || len(h.Versions) != 2 || h.Versions[0].Revision != 6 {
		t.Errorf("two before 7: %+v, %v", h, err)
	}

	if err := e.Compact(5); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Object(key, Options{Revision: 3}); !errors.Is(err, mvcc.ErrCompacted) {
		t.Errorf("before the compaction: %v", err)
	}
	if h, err := v.History(key, 0, 0); err != nil || h.Compacted != 5 || h.Begins || len(h.Versions) != 3 {
		t.Errorf("after a compaction: %+v, %v", h, err)
	}
	if err := e.Compact(8); err != nil {
		t.Fatal(err)
	}
	if h, err := v.History(key, 0, 0); err != nil || len(h.Versions) != 1 || h.Versions[0].Revision != 7 {
		t.Errorf("with nothing but what is there: %+v, %v", h, err)
	}
	if _, err := v.History("/registry/none", 0, 0); !errors.Is(err, ErrNoKey) {
		t.Errorf("of a key that is not there: %v", err)
	}
}

// TestSecretsAreNotShown: not of a Secret, not of what was applied, not of an earlier version, not of a
// CustomResource with the name, in either format; and of what cannot be decoded nothing is quoted.
func TestSecretsAreNotShown(t *testing.T) {
	const canary = "Y2FuYXJ5" // "canary", as base64 has it
	e, v := open(t)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: "default", Annotations: map[string]string{
			corev1.LastAppliedConfigAnnotation: `{"data":{"password":"` + canary + `"}}`,
		}},
		Data: map[string][]byte{"password": []byte("canary")},
	}
	const key = "/registry/secrets/default/s"
	put(t, e, key, stored(t, corev1.SchemeGroupVersion, secret))
	put(t, e, key, stored(t, corev1.SchemeGroupVersion, secret))
	put(t, e, "/registry/custom", []byte(`{"apiVersion":"x/v1","kind":"Secret","data":"`+canary+`","stringData":{"a":["`+canary+`"]}}`))
	put(t, e, "/registry/broken", append([]byte("k8s\x00\x0a\x0c\x0a\x02v1\x12\x06Secret\x12"), canary...))
	put(t, e, "/registry/brokenjson", []byte(`{"kind":"Secret","data":"`+canary))
	put(t, e, "/registry/encrypted", []byte("k8s:enc:aescbc:v1:mine:"+canary))
	put(t, e, "/registry/nobodys", []byte("k8s:enc:identity:"+canary))
	for _, key := range []string{key, "/registry/custom", "/registry/broken", "/registry/brokenjson", "/registry/encrypted", "/registry/nobodys"} {
		for _, o := range []Options{{}, {Format: "json"}, {Revision: 2}} {
			got, err := v.Object(key, o)
			if errors.Is(err, ErrNoKey) && o.Revision != 0 {
				continue
			}
			if err != nil || strings.Contains(fmt.Sprintf("%+v", got), canary) {
				t.Errorf("%s %+v: %+v, %v", key, o, got, err)
			}
			if (got.Text == "") != (got.Problem != "") {
				t.Errorf("%s: %+v", key, got)
			}
		}
	}
	o, err := v.Object(key, Options{})
	if err != nil || !o.Withheld || !strings.Contains(o.Text, "password: "+NotShown) {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = v.Object(key, Options{Secrets: true})
	if err != nil || o.Withheld || strings.Count(o.Text, canary) != 2 {
		t.Errorf("asked for: %+v, %v", o, err)
	}
}

// TestCutAsTrace: what is shown beside a command's steps has nothing that the trace withholds (trace.CutTree), of any
// kind, and says what was there; of managedFields the keys of lists are left, without values.
func TestCutAsTrace(t *testing.T) {
	const canary = "CANARY"
	e, v := open(t)
	p := pod("nginx:1")
	p.Annotations = map[string]string{"note": canary}
	p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: canary, FieldsV1: &metav1.FieldsV1{Raw: []byte(
		`{"f:metadata":{"f:finalizers":{"v:\"CANARY\"":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"CANARY\"}":{".":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{}}},"k:{\"name\":\"b\"}":{"f:image":{}},"k:CANARY":{}}}}`,
	)}}}
	c := &p.Spec.Containers[0]
	c.Args, c.Env = []string{canary}, []corev1.EnvVar{{Name: "A", Value: canary}}
	c.LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/?token=" + canary}}}
	put(t, e, "/registry/pods/default/web", stored(t, corev1.SchemeGroupVersion, p))
	put(t, e, "/registry/x/y", []byte(`{"apiVersion":"x/v1","kind":"X","spec":{"clientSecret":"CANARY","authToken":"CANARY","db_password":"CANARY"}}`))
	put(t, e, "/registry/example.com/secrets/default/x", []byte(`{"apiVersion":"example.com/v1","kind":"X","data":{"a":"CANARY"}}`))
	put(t, e, "/registry/configmaps/default/x", stored(t, corev1.SchemeGroupVersion, &corev1.ConfigMap{Data: map[string]string{"a": canary}}))
	put(t, e, "/registry/secrets/default/s", stored(t, corev1.SchemeGroupVersion, &corev1.Secret{Data: map[string][]byte{"a": []byte("\x08\x03\x40\x45")}})) // "CANARQ==" in base64
	for key, want := range map[string][]string{
		"/registry/pods/default/web": {
			`"note":"(not kept)"`, `"args":["(not kept)"]`, `"value":"(not kept)"`, `"path":"/?(not kept)"`,
			`"managedFields":[{"fieldsV1":{"f:metadata":{"f:finalizers":{}},"f:spec":{"f:containers":{"k:null":{},"k:{\"name\":null}":{"f:image":{},"f:ports":{"k:{\"containerPort\":null,\"protocol\":null}":{}}}}}}}]`,
		},
		"/registry/x/y": {`"clientSecret":"(not kept)"`, `"authToken":"(not kept)"`, `"db_password":"(not kept)"`},
		"/registry/example.com/secrets/default/x": {`"a":"(not kept)"`},
		"/registry/configmaps/default/x":          {`"a":"(not kept)"`},
		"/registry/secrets/default/s":             {`"a":"(not kept)"`},
	} {
		for _, o := range []Options{{Format: "json", Cut: true}, {Format: "json", Cut: true, Secrets: true}} {
			got, err := v.Object(key, o)
			if err != nil || got.Problem != "" || strings.Contains(got.Text, "CANAR") {
				t.Errorf("%s: %+v, %v", key, got, err)
				continue
			}
			var text bytes.Buffer
			if err := json.Compact(&text, []byte(got.Text)); err != nil {
				t.Fatal(err)
			}
			for _, part := range want {
				if !strings.Contains(text.String(), part) {
					t.Errorf("%s has no %s: %s", key, part, text.String())
				}
			}
		}
	}
}

// TestEncryption: an encrypted value says who encrypted it, and what only looks like one says nothing that a stranger
// wrote.
func TestEncryption(t *testing.T) {
	e, v := open(t)
	for i, c := range []struct {
		value         string
		provider, key string
	}{
		{"k8s:enc:aescbc:v1:key1:\x00\xff", "aescbc", "key1"},
		{"k8s:enc:aesgcm:v1:key2:::", "aesgcm", "key2"},
		{"k8s:enc:secretbox:v1:mine:x", "secretbox", "mine"},
		{"k8s:enc:kms:v2:vault:\x0a\x01", "kms v2", "vault"},
		{"k8s:enc:kms:v1:vault:" + strings.Repeat("\xff", 1<<20), "kms", "vault"},
		{"k8s:enc:kms:v1:" + strings.Repeat("k", maxName) + ":x", "kms", strings.Repeat("k", maxName)},
		{"k8s:enc:kms:v1:" + strings.Repeat("k", maxName+1) + ":x", "", ""},
		{"k8s:enc:kms:v1:" + strings.Repeat("k", 1<<20), "", ""},
		{"k8s:enc:aescbc:v1:\x1b[2J:x", "", ""},
		{"k8s:enc:aescbc:v1:\xff:x", "", ""},
		{"k8s:enc:aescbc:v1::x", "", ""},
		{"k8s:enc:aescbc:v1", "", ""},
		{"k8s:enc:", "", ""},
	} {
		key := fmt.Sprint("/registry/secrets/default/", i)
		put(t, e, key, []byte(c.value))
		o, err := v.Object(key, Options{Secrets: true})
		switch {
		case err != nil || o.Text != "" || o.Problem == "":
			t.Errorf("%.40q: %+v, %v", c.value, o, err)
		case c.provider == "":
			if o.Encoding != Unknown || o.Encryption != nil {
				t.Errorf("%.40q: %+v", c.value, o)
			}
		case o.Encoding != Encrypted || o.Encryption == nil || *o.Encryption != Encryption{c.provider, c.key}:
			t.Errorf("%.40q: %s, %+v", c.value, o.Encoding, o.Encryption)
		}
	}
}

func TestWatchers(t *testing.T) {
	e, v := open(t)
	for _, o := range []mvcc.WatchOptions{
		{Key: "/registry/pods/", End: "/registry/pods0"}, {Key: "/registry/pods/a"}, {Key: "", End: mvcc.ToEnd}, {Key: "a", End: "c\xff"},
	} {
		w, _, err := e.Watch(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
	}
	put(t, e, "/registry/pods/a", nil)
	put(t, e, "x", nil)
	w := v.Watchers()
	if w.Revision != 3 || len(w.Watchers) != 4 {
		t.Fatalf("%+v", w)
	}
	for i, want := range []Watcher{
		{ID: 1, Key: "/registry/pods/", Prefix: true, From: 2, Lag: 2}, {ID: 2, Key: "/registry/pods/a", From: 2, Lag: 2},
		{ID: 3, Prefix: true, From: 2, Lag: 2}, {ID: 4, Key: "a", End: "c\uFFFD", From: 2},
	} {
		want.Began = w.Watchers[i].Began
		if w.Watchers[i] != want {
			t.Errorf("%+v, want %+v", w.Watchers[i], want)
		}
	}
}

// TestRevisionsHaveTheirSteps: a version leads to the step that wrote it.
func TestRevisionsHaveTheirSteps(t *testing.T) {
	e, _ := open(t)
	bus := trace.New()
	v := New(e, bus)
	put(t, e, "a", []byte("1"))
	id := bus.Reserve()
	bus.Wrote(id, 2, "", "")
	o, err := v.Object("a", Options{})
	if err != nil || o.Step != int64(id) {
		t.Errorf("%+v, %v", o, err)
	}
	if h, err := v.History("a", 0, 0); err != nil || h.Versions[0].Step != int64(id) {
		t.Errorf("%+v, %v", h, err)
	}
}

// FuzzObject has any bytes as a value: nothing panics, and what is shown is text.
func FuzzObject(f *testing.F) {
	f.Add([]byte("k8s\x00\x0a\x0c\x0a\x02v1\x12\x06Secret\x12"))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Secret","data":{"a":1},"metadata":{"annotations":[]}}`))
	f.Add([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":7}`))
	f.Add([]byte(`{"kind":"X","metadata":{"managedFields":[1,{"fieldsV1":{"f:a":{"k:{\"a\":1}":{"f:b":1},"k:{\"a\":2}":{"f:b":{}},"k:[":[]}}}]}}`))
	f.Add(stored(f, corev1.SchemeGroupVersion, pod("nginx")))
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, options := range []Options{{Format: "yaml"}, {Format: "json"}, {Format: "json", Cut: true}} {
			o := Object{}
			o.decode(value, options)
			if len(o.Text) > MaxText || o.Encoding == "" {
				t.Errorf("%+v", o)
			}
		}
	})
}

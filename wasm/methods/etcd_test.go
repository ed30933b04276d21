package methods

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// TestEtcdAnswers: what a page can ask of the store, with parameters as they should be and otherwise.
// Each has an answer or an error in words, and a hint where there is something to be done.
func TestEtcdAnswers(t *testing.T) {
	engine, err := mvcc.Open(mvcc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	for range 3 {
		if _, err := engine.Update(func(tx *mvcc.Tx) error {
			_, err := tx.Put("/registry/a", []byte(`{"apiVersion":"v1","kind":"Secret","data":{"x":"canary"}}`), 0)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := engine.Compact(4); err != nil {
		t.Fatal(err)
	}
	etcd := func(context.Context) (*etcdview.View, error) { return etcdview.New(engine, nil), nil }
	w := &wire{notify: make(chan struct{}, 1)}
	w.server = port.NewServer(t.Context(), w, map[string]port.Handler{
		"etcdKeys": EtcdKeys(etcd), "etcdObject": EtcdObject(etcd), "etcdHistory": EtcdHistory(etcd), "etcdWatchers": EtcdWatchers(etcd),
	})
	for id, c := range []struct{ method, params, want string }{
		{"etcdKeys", `{"prefix":"/registry/"}`, `"name":"/registry/a"`},
		{"etcdKeys", `{"prefix":"/registry/","limit":-1000000000}`, `"name":"/registry/a"`},
		{"etcdKeys", `{"prefix":7}`, "prefix"},
		{"etcdKeys", `{"limit":1e400}`, "limit"},
		{"etcdKeys", `[]`, "etcdKeys"},
		{"etcdObject", `{"key":"/registry/a"}`, `"withheld":true`},
		{"etcdObject", `{"key":"/registry/a","secrets":true}`, "canary"},
		{"etcdObject", `{"key":"/registry/a","secrets":"yes"}`, "secrets"},
		{"etcdObject", `{"key":"/registry/a","cut":true}`, "(not kept)"},
		{"etcdObject", `{"key":"/registry/a","revision":-5}`, "hint"},
		{"etcdObject", `{"key":"/registry/a","revision":2}`, "compacts"},
		{"etcdObject", `{"key":"/registry/b"}`, "deleted"},
		{"etcdHistory", `{"key":"/registry/a","before":-1,"limit":1000000}`, `"change":"update"`},
		{"etcdHistory", `{"key":"../\u0000"}`, "nothing is stored"},
		{"etcdWatchers", `null`, `"watchers":[]`},
	} {
		w.server.Receive(port.In{Type: "call", ID: id, Method: c.method, Params: json.RawMessage(c.params)})
		o := w.until(t, func(o port.Out) bool { return o["id"] == id })
		text, err := json.Marshal(map[string]any(o))
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s %s: %s, %v; want %s", c.method, c.params, text, err, c.want)
		}
		if !strings.Contains(c.params, `"secrets":true`) && strings.Contains(fmt.Sprint(string(text)), "canary") {
			t.Errorf("%s %s shows a Secret's value: %s", c.method, c.params, text)
		}
	}
}

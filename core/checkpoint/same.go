package checkpoint

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// object is a value, decoded; one that cannot be (encrypted at rest, without its key) has its key only.
type object struct {
	key     string
	below   string                     // key, without the registry's
	decoded *unstructured.Unstructured // nil if it cannot be
}

func (r registry) decode(kv *mvcc.KV) object {
	o := object{key: kv.Key, below: r.below(kv.Key)}
	if tree, err := etcdview.Tree([]byte(kv.Value)); err == nil {
		o.decoded = &unstructured.Unstructured{Object: tree}
	}
	return o
}

// name is what people call it: kind, namespace and name, from the key where the value is silent.
func (o object) name() (kind, namespace, name string) {
	if o.decoded != nil && o.decoded.GetName() != "" {
		return o.decoded.GetKind(), o.decoded.GetNamespace(), o.decoded.GetName()
	}
	parts := strings.Split(o.below, "/")
	return parts[0], "", parts[len(parts)-1]
}

// namespace is where it is, from the key (…/namespace/name) where the value is silent; "" for what is in none.
func (o object) namespace() string {
	if o.decoded != nil {
		return o.decoded.GetNamespace()
	}
	if parts := strings.Split(o.below, "/"); len(parts) > 2 {
		return parts[len(parts)-2]
	}
	return ""
}

// deleting is whether somebody has asked for its deletion, and waits.
func (o object) deleting() bool { return o.decoded != nil && o.decoded.GetDeletionTimestamp() != nil }

// asked is what somebody asked for of it: all but its status, which is what those who look after it say, and what the
// API server counts.
func (o object) asked() map[string]any {
	tree := o.decoded.DeepCopy().Object
	delete(tree, "status")
	if meta, ok := tree["metadata"].(map[string]any); ok {
		for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
			delete(meta, field)
		}
	}
	return tree
}

// same is whether then and now differ in nothing that is worth going back to. A pod that runs is not told that it did
// not yet; a Deployment that was scaled is.
func same(then, now object) bool {
	if then.decoded == nil || now.decoded == nil {
		return false
	}
	return then.decoded.GetUID() == now.decoded.GetUID() && reflect.DeepEqual(then.asked(), now.asked())
}

package etcdview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	apiextensionsapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// MaxText bounds the text of one object, in bytes. A value in etcd has 1.5 MiB at most.
const MaxText = 4 << 20

// maxPlain bounds a value that is no object, in bytes.
const maxPlain = 1 << 10

// Encodings of a value.
const (
	Protobuf  = "protobuf"  // k8s.io/apimachinery/pkg/runtime/serializer/protobuf: "k8s\0", then a runtime.Unknown
	JSON      = "json"      // CustomResources, CustomResourceDefinitions, APIServices
	Plain     = "text"      // what is no object: compact_rev_key
	Encrypted = "encrypted" // at rest, by a provider of the EncryptionConfiguration
	Unknown   = "unknown"   // anything else
)

// Object is one version of a key, decoded.
type Object struct {
	Key string `json:"key"`
	// Revision is the store's latest.
	Revision int64 `json:"revision"`

	CreateRevision int64 `json:"createRevision"`
	// ModRevision is the object's resourceVersion, which is nowhere in the value.
	ModRevision int64 `json:"modRevision"`
	Version     int64 `json:"version"`
	Lease       int64 `json:"lease,omitempty"`
	// Step is the trace's step that wrote it, 0 if it is not held.
	Step int64 `json:"step,omitempty"`

	Bytes    int    `json:"bytes"`
	Encoding string `json:"encoding"`
	// Encryption is set of what is Encrypted.
	Encryption *Encryption `json:"encryption,omitempty"`
	APIVersion string      `json:"apiVersion,omitempty"`
	Kind       string      `json:"kind,omitempty"`
	// Text is the object in the format that was asked for. It is empty where Problem says why.
	Text    string `json:"text"`
	Problem string `json:"problem,omitempty"`
	// Withheld is set if values of a Secret were left out.
	Withheld bool `json:"withheld,omitempty"`
}

// Options say how an object is shown.
type Options struct {
	// Revision is the version wanted: the latest that is not after it. 0 is what is there now.
	Revision int64
	// Format is "yaml", or "json"; "" is "yaml".
	Format string
	// Secrets has Secrets' values shown.
	Secrets bool
	// Cut has nothing shown that the trace withholds, of whatever kind the object is. It goes before Secrets.
	Cut bool
}

// Object decodes the value of a key. It fails with ErrNoKey if there is none, and with
// mvcc.ErrCompacted if the revision is not held any more.
func (v *View) Object(key string, o Options) (*Object, error) {
	if err := checkKey("a key", key); err != nil {
		return nil, err
	}
	if o.Format != "" && o.Format != "yaml" && o.Format != "json" {
		return nil, fmt.Errorf("there is no format %.20q: ask for yaml or json", o.Format)
	}
	kv, found, latest, err := v.store.Get(key)
	if err == nil && o.Revision != 0 && !(found && kv.ModRevision <= o.Revision) {
		kv, found, err = v.at(key, o.Revision)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %q: %w", key, err)
	case !found:
		return nil, fmt.Errorf("read %q: %w", key, ErrNoKey)
	}
	out := &Object{
		Key: key, Revision: latest, CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision,
		Version: kv.Version, Lease: kv.Lease, Step: int64(v.trace.Revision(kv.ModRevision)), Bytes: len(kv.Value),
	}
	out.decode([]byte(kv.Value), o)
	return out, nil
}

// at finds an earlier version of a key in the history.
func (v *View) at(key string, revision int64) (kv mvcc.KV, found bool, err error) {
	changes, err := v.store.KeyHistory(key)
	if err != nil {
		return kv, false, err
	}
	for _, c := range slices.Backward(changes) {
		if c.KV.ModRevision <= revision {
			return c.KV, !c.Delete, nil
		}
		if p := c.Prev; p != nil && p.ModRevision <= revision {
			return *p, true, nil
		}
	}
	if len(changes) > 0 && changes[0].Prev == nil && changes[0].KV.Version == 1 {
		return kv, false, nil // it began later
	}
	return kv, false, mvcc.ErrCompacted
}

var protobufMagic = []byte("k8s\x00") // k8s.io/apimachinery/pkg/runtime/serializer/protobuf

// schemes are those of the apiserver's three parts, in the order in which they are asked.
var schemes = []serializer.CodecFactory{legacyscheme.Codecs, apiextensionsapiserver.Codecs, aggregatorscheme.Codecs}

// decode fills in what the value says.
func (o *Object) decode(value []byte, options Options) {
	trimmed := bytes.TrimLeft(value, " \t\r\n")
	switch {
	case bytes.HasPrefix(value, protobufMagic):
		o.Encoding = Protobuf
	case bytes.HasPrefix(trimmed, []byte("{")):
		o.Encoding = JSON
	case len(value) <= maxPlain && utf8.Valid(value) && !bytes.HasPrefix(value, []byte("k8s:")):
		o.Encoding, o.Text = Plain, string(value)
		return
	default:
		if e, ok := encryption(value); ok {
			o.Encoding, o.Encryption, o.Problem = Encrypted, &e, "It is encrypted at rest: only the API server, which has the key, reads what it holds."
			return
		}
		o.Encoding, o.Problem = Unknown, "The value is neither protobuf nor JSON of Kubernetes', and no provider of encryption at rest begins one so."
		return
	}
	tree, err := o.tree(value)
	if err != nil {
		o.Problem = err.Error()
		return
	}
	switch {
	case options.Cut:
		cutAsTrace(o.Key, tree)
	case !options.Secrets:
		o.Withheld = cut(o.Kind, tree)
	}
	o.write(tree, options.Format)
}

// tree is the value as JSON has it, in the version in which it is stored.
func (o *Object) tree(value []byte) (map[string]any, error) {
	for _, codecs := range schemes {
		object, kind, err := codecs.UniversalDeserializer().Decode(value, nil, nil)
		if kind != nil {
			o.APIVersion, o.Kind = kind.ToAPIVersionAndKind()
		}
		if err == nil {
			object.GetObjectKind().SetGroupVersionKind(*kind)
			tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				return nil, fmt.Errorf("make JSON of the %s: %w", o.Kind, err)
			}
			return tree, nil
		}
		if !runtime.IsNotRegisteredError(err) {
			break
		}
	}
	if o.Encoding != JSON {
		// What is told of a value that cannot be decoded must not quote it.
		return nil, fmt.Errorf("none of the apiserver's schemes decodes this %.100q of %.100q", o.Kind, o.APIVersion)
	}
	var tree map[string]any // a CustomResource is stored as it is
	if err := kubejson.Unmarshal(value, &tree); err != nil {
		return nil, errors.New("the value begins as JSON does, and is none")
	}
	o.APIVersion, _ = tree["apiVersion"].(string)
	o.Kind, _ = tree["kind"].(string)
	return tree, nil
}

func (o *Object) write(tree map[string]any, format string) {
	text, err := json.MarshalIndent(tree, "", "  ")
	if err == nil && format != "json" {
		text, err = yaml.Marshal(tree)
	}
	switch {
	case err != nil:
		o.Problem = fmt.Sprintf("the %s cannot be written: %v", o.Kind, err)
	case len(text) > MaxText:
		o.Problem = fmt.Sprintf("The text has %d bytes, which are more than the %d that are shown.", len(text), MaxText)
	default:
		o.Text = strings.ToValidUTF8(string(text), "\uFFFD")
	}
}

// Tree is an object as JSON has it, of a value as the store has it.
func Tree(value []byte) (map[string]any, error) {
	o := Object{}
	switch {
	case bytes.HasPrefix(value, protobufMagic):
		o.Encoding = Protobuf
	case bytes.HasPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte("{")):
		o.Encoding = JSON
	default:
		return nil, errors.New("the value is neither protobuf nor JSON of Kubernetes'")
	}
	return o.tree(value)
}

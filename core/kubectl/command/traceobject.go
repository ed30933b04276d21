package command

import (
	"encoding/json"
	"io"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubectl/pkg/scheme"

	"github.com/tabernetes/tabernetes/core/trace"
)

var generated = trace.Declare(trace.Kubectl, "kubectl.object", trace.Place{
	Package: "k8s.io/kubectl/pkg/cmd/create", Func: "CreateDeploymentOptions.Run", Text: "deploy := o.createDeployment()",
})

// Generated are the details of kubectl.object: what the command made of its flags and files.
type Generated struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name,omitempty"`
	// Validated is who was asked to look for fields that there are not: "the server, Strict". Some commands ask
	// nobody, since their flags made the object.
	Validated string `json:"validated,omitempty"`
	// Object is what is sent, without what is cut.
	Object map[string]any `json:"object"`
	bytes  int
}

// Weight implements trace.Weigher.
func (g *Generated) Weight() int { return 128 + 4*g.bytes }

// Brief implements trace.Briefer.
func (g *Generated) Brief() any {
	return &struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Name       string `json:"name,omitempty"`
		Validated  string `json:"validated,omitempty"`
	}{g.APIVersion, g.Kind, g.Name, g.Validated}
}

// maxObject bounds, in bytes, the object that a step has.
const maxObject = 32 << 10

// object is what a request brings to be created or put in place of another; nil if that is no object, or
// a long one.
func object(r *http.Request) *Generated {
	if r.Method != http.MethodPost && r.Method != http.MethodPut || r.GetBody == nil || r.ContentLength <= 0 || r.ContentLength > maxObject {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxObject))
	if err != nil {
		return nil
	}
	tree := map[string]any{}
	if json.Unmarshal(text, &tree) != nil {
		made, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return nil
		}
		if tree, err = runtime.DefaultUnstructuredConverter.ToUnstructured(made); err != nil {
			return nil
		}
		if kinds, _, err := scheme.Scheme.ObjectKinds(made); err == nil && len(kinds) > 0 {
			tree["apiVersion"], tree["kind"] = kinds[0].GroupVersion().String(), kinds[0].Kind
		}
	}
	g := &Generated{Object: tree, bytes: len(text)}
	if g.APIVersion, _ = tree["apiVersion"].(string); g.APIVersion == "" {
		return nil
	}
	g.Kind, _ = tree["kind"].(string)
	if meta, ok := tree["metadata"].(map[string]any); ok {
		g.Name, _ = meta["name"].(string)
	}
	trace.CutTree(tree)
	g.APIVersion, g.Kind, g.Name = trace.Text(g.APIVersion), trace.Text(g.Kind), trace.Text(g.Name)
	g.Validated = "not asked for"
	if how := r.URL.Query().Get("fieldValidation"); how != "" {
		g.Validated = "the server, " + trace.Text(how)
	}
	return g
}

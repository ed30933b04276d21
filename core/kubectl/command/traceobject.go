package command

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubectl/pkg/scheme"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/trace"
)

// What a request brings; where a command makes it is in traceplaces.go. Whatever it is, this writes it down.
var (
	generated = trace.Declare(trace.Kubectl, "kubectl.object", trace.Place{
		Package: "k8s.io/client-go/rest", Func: "Request.Body", Text: "data, err := runtime.Encode(encoder, t)",
	})
	patched = trace.Declare(trace.Kubectl, "kubectl.patch", trace.Place{
		Package: "k8s.io/client-go/rest", Func: "Request.Body", Text: "case []byte:",
	})
)

// Generated are the details of kubectl.object: what the command made of its flags and files.
type Generated struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name,omitempty"`
	// Validated is who was asked to look for fields that there are not: "the server, Strict". Some commands ask
	// nobody, since their flags made the object.
	Validated string `json:"validated,omitempty"`
	// DryRun is "client" if nothing is sent: the command only prints what it made.
	DryRun string `json:"dryRun,omitempty"`
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
		DryRun     string `json:"dryRun,omitempty"`
	}{g.APIVersion, g.Kind, g.Name, g.Validated, g.DryRun}
}

// Patched are the details of kubectl.patch: what the command wants to be otherwise about an object that is there.
type Patched struct {
	// Type is the patch's: "strategic-merge-patch+json", "merge-patch+json", "json-patch+json" or "apply-patch+yaml".
	Type string `json:"type"`
	// Of is the resource, and the subresource behind a slash; Name the object's.
	Of        string `json:"of"`
	Name      string `json:"name"`
	Validated string `json:"validated,omitempty"`
	// Patch is what is sent, without what is cut.
	Patch any `json:"patch"`
	bytes int
}

// Weight implements trace.Weigher.
func (p *Patched) Weight() int { return 160 + 4*p.bytes }

// Brief implements trace.Briefer.
func (p *Patched) Brief() any {
	return &struct {
		Type string `json:"type"`
		Of   string `json:"of"`
		Name string `json:"name"`
	}{p.Type, p.Of, p.Name}
}

// maxObject bounds, in bytes, the object or patch that a step has.
const maxObject = 32 << 10

// brought is what a request brings, as details of a step, and its kind by the command that made it; nil if that
// is nothing, or a long one.
func brought(r *http.Request, command string) (*trace.Kind, any) {
	switch r.Method {
	case http.MethodPost, http.MethodPut:
		if g := object(r); g != nil {
			return kindBy(objectsBy, command, generated), g
		}
	case http.MethodPatch:
		if p := patch(r); p != nil {
			if p.Type == "apply-patch+yaml" {
				command += " --server-side"
			}
			return kindBy(patchesBy, command, patched), p
		}
	}
	return nil, nil
}

// body is a copy of what a request sends; nil if it is nothing, or a long one.
func body(r *http.Request) []byte {
	if r.GetBody == nil || r.ContentLength <= 0 || r.ContentLength > maxObject {
		return nil
	}
	copied, err := r.GetBody()
	if err != nil {
		return nil
	}
	defer copied.Close()
	text, err := io.ReadAll(io.LimitReader(copied, maxObject))
	if err != nil {
		return nil
	}
	return text
}

// patch is what a request wants changed; nil if it cannot be read.
func patch(r *http.Request) *Patched {
	text := body(r)
	if text == nil {
		return nil
	}
	resource, name, ok := target(r.URL.Path)
	var tree any
	if !ok || yaml.Unmarshal(text, &tree) != nil {
		return nil
	}
	plain, _, _ := strings.Cut(resource, "/")
	trace.CutPatch(tree, plain)
	return &Patched{
		Type: strings.TrimPrefix(trace.Text(r.Header.Get("Content-Type")), "application/"),
		Of:   trace.Text(resource), Name: trace.Text(name), Validated: validated(r), Patch: tree, bytes: len(text),
	}
}

// target is the resource that a path leads to, with its subresource, and the object's name: a path is
// /api/VERSION or /apis/GROUP/VERSION, then /namespaces/NAMESPACE or nothing, then /RESOURCE/NAME[/SUBRESOURCE].
func target(path string) (resource, name string, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return "", "", false
	}
	// A Namespace's own path is as long with a subresource: those it has are no resources.
	if len(parts) >= 4 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	if len(parts) < 2 {
		return "", "", false
	}
	resource = parts[0]
	if len(parts) > 2 {
		resource += "/" + parts[2]
	}
	return resource, parts[1], true
}

// collection is the resource that a path of the API leads to, as it is or to one of it, if that is one of data.
func collection(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		if part == "secrets" || part == "configmaps" {
			return part
		}
	}
	return ""
}

// validated is who was asked to look for fields that there are not.
func validated(r *http.Request) string {
	if how := r.URL.Query().Get("fieldValidation"); how != "" {
		return "the server, " + trace.Text(how)
	}
	return "not asked for"
}

// object is what a request brings to be created or put in place of another; nil if that is no object.
func object(r *http.Request) *Generated {
	text := body(r)
	if text == nil {
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
	g := generatedOf(tree, collection(r.URL.Path), len(text))
	if g != nil {
		g.Validated = validated(r)
	}
	return g
}

// generatedOf are the details of an object that a command made, of so many bytes; nil if it does not say what it is.
// It cuts the tree.
func generatedOf(tree map[string]any, resource string, bytes int) *Generated {
	g := &Generated{Object: tree, bytes: bytes}
	if g.APIVersion, _ = tree["apiVersion"].(string); g.APIVersion == "" {
		return nil
	}
	g.Kind, _ = tree["kind"].(string)
	if meta, ok := tree["metadata"].(map[string]any); ok {
		g.Name, _ = meta["name"].(string)
	}
	trace.CutTree(tree, resource)
	g.APIVersion, g.Kind, g.Name = trace.Text(g.APIVersion), trace.Text(g.Kind), trace.Text(g.Name)
	return g
}

package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestObjectOfADryRun: what a command prints that sends nothing is told as what it made, without secrets; what is
// printed of the server's answer is not, nor what somebody else prints.
func TestObjectOfADryRun(t *testing.T) {
	secret := &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Name: "s", Annotations: map[string]string{"a": "CANARY"}},
		Data: map[string][]byte{"key": []byte("CANARY")}, StringData: map[string]string{"more": "CANARY"},
	}
	pod := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "args": []any{"CANARY"}}}},
	}}
	list := &corev1.List{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}, Items: []runtime.RawExtension{{Object: secret}, {Object: pod}}}
	long := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Data: map[string]string{"key": strings.Repeat("CANARY", maxObject)}}
	for _, c := range []struct {
		command, dryRun string
		object          runtime.Object
		want            []string
	}{
		{"create secret generic", "client", secret, []string{"kubectl.object/create secret generic v1 Secret s"}},
		{"create secret generic", "unchanged", secret, []string{"kubectl.object/create secret generic v1 Secret s"}}, // --dry-run without a value
		{"create secret generic", "none", secret, nil},
		{"create secret generic", "server", secret, nil}, // the request has told it
		{"create", "client", pod, []string{"kubectl.object/create --dry-run=client v1 Pod p"}},
		{"run", "client", pod, []string{"kubectl.object/run v1 Pod p"}},
		{"apply", "client", list, []string{"kubectl.object/apply --dry-run=client v1 Secret s", "kubectl.object/apply --dry-run=client v1 Pod p"}},
		{"create configmap", "client", long, nil},
		{"create configmap", "client", &corev1.ConfigMap{}, nil}, // it does not say what it is
		{"label", "client", pod, nil},
		{"drain", "client", pod, nil},
		{"get", "", pod, nil},
	} {
		bus := trace.New()
		tell := startTrace(t.Context(), bus)
		tell.name(commandOf(t, c.command, c.dryRun), strings.Fields(c.command), asItIs)
		before := fmt.Sprintf("%v", c.object)
		asCommand(t.Context(), tell, func(exit) {}, func() { printed(c.object) })
		printed(c.object) // by nobody
		if now := fmt.Sprintf("%v", c.object); now != before {
			t.Errorf("%s: what is printed was changed: %s", c.command, now)
		}
		var got []string
		steps, _ := bus.All()
		for _, s := range steps {
			if g, ok := s.Details.(*Generated); ok {
				got = append(got, fmt.Sprintf("%s %s %s %s", s.Kind.Key(), g.APIVersion, g.Kind, g.Name))
				if text := string(s.JSON(true)) + string(s.BriefJSON()); strings.Contains(text, "CANARY") || strings.Contains(text, "Q0FOQVJZ") || strings.Count(text, `"dryRun":"client"`) != 2 {
					t.Error(text)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s --dry-run=%s: %q, want %q", c.command, c.dryRun, got, c.want)
		}
	}
	(*tracer)(nil).printed(pod) // nobody is told
}

// commandOf is kubectl with one command, and its flag if it has one.
func commandOf(t *testing.T, words, dryRun string) *cobra.Command {
	t.Helper()
	root := &cobra.Command{Use: "kubectl"}
	c := root
	for word := range strings.FieldsSeq(words) {
		child := &cobra.Command{Use: word, Run: func(*cobra.Command, []string) {}}
		c.AddCommand(child)
		c = child
	}
	if dryRun != "" {
		cmdutil.AddDryRunFlag(c)
		if err := c.Flags().Set("dry-run", dryRun); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/transport"
)

// recording gives --record the line of its command: upstream writes that of the process
// (k8s.io/cli-runtime/pkg/genericclioptions, parseCommandArguments), which is the cluster's own. What it has written is put
// right on the way to the server; what --dry-run=client shows is upstream's.
type recording struct{ cause string }

// watch notes the line when upstream has read the flags. What klog would say of them to the process is said to the command.
func (r *recording) watch(root *cobra.Command, line []string, stderr io.Writer) {
	upstream := root.PersistentPreRunE
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		r.cause = changeCause(c, line)
		if dry := c.Flags().Lookup("dry-run"); dry != nil && dry.Changed {
			if said := deprecatedDryRun(dry); said != "" {
				fmt.Fprintln(stderr, said)
			}
		}
		return upstream(c, args)
	}
}

// changeCause is the line as upstream writes it: words first, then flags, without values that are secrets. It is empty
// without --record.
func changeCause(c *cobra.Command, line []string) string {
	if record, err := c.Flags().GetBool("record"); err != nil || !record || len(line) == 0 {
		return ""
	}
	all := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
	all.AddFlagSet(c.Flags())
	var flags strings.Builder
	err := all.ParseAll(line[1:], func(f *pflag.Flag, value string) error { // sets nothing
		if f.Name == "token" || f.Name == "password" || len(f.Annotations["classified"]) > 0 {
			value = "CLASSIFIED" // as upstream has it of flags with the annotation, which these two have lost
		}
		flags.WriteString(" --" + f.Name + "=" + value)
		return nil
	})
	if err != nil {
		return ""
	}
	return strings.Join(append([]string{"kubectl"}, all.Args()...), " ") + flags.String()
}

// deprecatedDryRun is upstream's warning (k8s.io/kubectl/pkg/cmd/util, GetDryRunStrategy).
func deprecatedDryRun(f *pflag.Flag) string {
	value := f.Value.String()
	if value == f.NoOptDefVal {
		return "--dry-run is deprecated and can be replaced with --dry-run=client."
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("--dry-run=%s is deprecated (boolean value) and can be replaced with --dry-run=%s.", value, map[bool]string{true: "client", false: "none"}[on])
}

// wrapper puts the line in the place of what upstream has written, in objects and patches that have it.
func (r *recording) wrapper() transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper {
		if r.cause == "" {
			return next
		}
		return roundTripper(func(q *http.Request) (*http.Response, error) {
			if q.Method != http.MethodPost && q.Method != http.MethodPut && q.Method != http.MethodPatch || q.GetBody == nil || q.ContentLength <= 0 {
				return next.RoundTrip(q)
			}
			copied, err := q.GetBody()
			if err != nil {
				return next.RoundTrip(q)
			}
			defer copied.Close()
			text, err := io.ReadAll(copied)
			if err != nil {
				return next.RoundTrip(q)
			}
			corrected, ok := r.correct(text)
			if !ok {
				return next.RoundTrip(q)
			}
			q.Body.Close()
			q = q.Clone(q.Context())
			q.ContentLength = int64(len(corrected))
			q.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(corrected)), nil }
			q.Body, _ = q.GetBody()
			return next.RoundTrip(q)
		})
	}
}

// correct is an object or a patch, as JSON, with the line for its cause; ok is false for what has none.
func (r *recording) correct(text []byte) (corrected []byte, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // no integer becomes a float
	var tree map[string]any
	if d.Decode(&tree) != nil {
		return nil, false
	}
	const annotation = genericclioptions.ChangeCauseAnnotation
	if _, ok, err := unstructured.NestedString(tree, "metadata", "annotations", annotation); !ok || err != nil {
		return nil, false
	}
	if unstructured.SetNestedField(tree, r.cause, "metadata", "annotations", annotation) != nil {
		return nil, false
	}
	corrected, err := json.Marshal(tree)
	return corrected, err == nil
}

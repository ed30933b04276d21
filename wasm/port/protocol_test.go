//go:build !js

package port

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mirrored are the objects that web/rpc/protocol.ts and Go both describe.
var mirrored = []struct{ ts, file, goName string }{
	{"ExecParams", "../methods/exec.go", "execParams"},
	{"CloseParams", "../methods/close.go", "closeParams"},
	{"CompleteParams", "../methods/complete.go", "completeParams"},
	{"Completion", "../methods/complete.go", "completion"},
	{"AttachParams", "../methods/attach.go", "attachParams"},
	{"AttachEvent", "../methods/attach.go", "attachEvent"},
	{"AttachOrder", "../methods/attach.go", "attachOrder"},
	{"VisitParams", "../methods/visit.go", "visitParams"},
	{"VisitSocketParams", "../methods/visitsocket.go", "visitSocketParams"},
	{"FetchParams", "../methods/fetch.go", "fetchParams"},
	{"InviteParams", "../methods/invite.go", "inviteParams"},
	{"InviteResult", "../methods/invite.go", "inviteResult"},
	{"NodesParams", "../methods/nodes.go", "nodesParams"},
	{"NodesResult", "../methods/nodes.go", "nodesResult"},
	{"TraceParams", "../methods/trace.go", "traceParams"},
	{"StepParams", "../methods/trace.go", "stepParams"},
	{"ExportParams", "../methods/trace.go", "exportParams"},
	{"KindsResult", "../methods/trace.go", "kindsResult"},
	{"TraceKind", "../methods/trace.go", "traceKind"},
	{"TraceStep", "../../core/trace/json_test.go", "wire"},
	{"TraceObject", "../../core/trace/json_test.go", "wireObject"},
	{"DecisionParams", "../methods/decision.go", "decisionParams"},
	{"AskPluginParams", "../methods/decision.go", "askPluginParams"},
	{"SchedulingDecision", "../../core/scheduler/decision/json.go", "wire"},
	{"SchedulingWeight", "../../core/scheduler/decision/json.go", "wireScore"},
	{"SchedulingRow", "../../core/scheduler/decision/json.go", "wireRow"},
	{"PluginAnswer", "../../core/scheduler/decision/json.go", "wireAnswer"},
	{"PluginVerdict", "../../core/scheduler/decision/verdict.go", "Cell"},
	{"PluginScore", "../../core/scheduler/decision/verdict.go", "Score"},
	{"EtcdKeysParams", "../methods/etcd.go", "etcdKeysParams"},
	{"EtcdPage", "../../core/apiserver/etcdview/tree.go", "Page"},
	{"EtcdEntry", "../../core/apiserver/etcdview/tree.go", "Entry"},
	{"EtcdObjectParams", "../methods/etcd.go", "etcdObjectParams"},
	{"EtcdObject", "../../core/apiserver/etcdview/object.go", "Object"},
	{"EtcdHistoryParams", "../methods/etcd.go", "etcdHistoryParams"},
	{"EtcdHistory", "../../core/apiserver/etcdview/history.go", "History"},
	{"EtcdVersion", "../../core/apiserver/etcdview/history.go", "Version"},
	{"EtcdWatching", "../../core/apiserver/etcdview/watchers.go", "Watching"},
	{"EtcdWatcher", "../../core/apiserver/etcdview/watchers.go", "Watcher"},
	{"ConfigFiles", "../methods/check.go", "checkParams"},
	{"ConfigFiles", "../methods/check.go", "checkResult"},
	{"ClusterConfig", "../settings_js.go", "settings"},
}

// TestProtocolIsMirrored: a field, a method, a message or the version that one side has and the
// other does not.
func TestProtocolIsMirrored(t *testing.T) {
	parts, err := filepath.Glob("../../web/rpc/protocol/*.ts")
	if err != nil || len(parts) == 0 {
		t.Fatalf("the parts of web/rpc/protocol.ts: %v, %v", parts, err)
	}
	var source strings.Builder
	for _, name := range append([]string{"../../web/rpc/protocol.ts"}, parts...) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	ts := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(source.String(), "")
	for _, m := range mirrored {
		got, want := goFields(t, m.file, m.goName), fields(declaration(t, ts, m.ts))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s has the fields %v, but %s of %s has %v", m.ts, want, m.goName, m.file, got)
		}
	}
	main, err := os.ReadFile("../methods_js.go")
	if err != nil {
		t.Fatal(err)
	}
	handled := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\t\t"(\w+)": +[tm]\w*\.`).FindAllStringSubmatch(string(main), -1) {
		handled[m[1]] = true
	}
	methods := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+): \{`).FindAllStringSubmatch(declaration(t, ts, "Methods"), -1) {
		methods[m[1]] = true
	}
	if !maps.Equal(handled, methods) || len(methods) < 5 {
		t.Errorf("the page knows the methods %v, the module %v", keys(methods), keys(handled))
	}
	for name, want := range map[string]int{"WINDOW": Window, "VERSION": Version} {
		text := regexp.MustCompile(name + ` = ([0-9 *]+);`).FindStringSubmatch(ts)
		if text == nil {
			t.Fatalf("protocol.ts has no %s", name)
		}
		got := 1
		for factor := range strings.SplitSeq(text[1], "*") {
			n, err := strconv.Atoi(strings.TrimSpace(factor))
			if err != nil {
				t.Fatal(err)
			}
			got *= n
		}
		if got != want {
			t.Errorf("%s is %d on the page and %d in the module", name, got, want)
		}
	}
	messages(t, ts)
}

// messages compares the messages' types: those that decode.go knows with ToWorker, and those
// that Go sends with ToPage.
func messages(t *testing.T, ts string) {
	types := regexp.MustCompile(`type: "(\w+)"`)
	of := func(text string, re *regexp.Regexp) map[string]bool {
		found := map[string]bool{}
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(m[1], `", "`) {
				found[name] = true
			}
		}
		return found
	}
	read := func(names ...string) (all string) {
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all += string(b)
		}
		return all
	}
	decoded := of(read("decode.go"), regexp.MustCompile(`case "([\w", ]+)":`))
	if want := of(declaration(t, ts, "ToWorker"), types); !maps.Equal(decoded, want) {
		t.Errorf("the page sends %v, the module decodes %v", keys(want), keys(decoded))
	}
	sent := of(read("call.go", "server.go", "outbox.go", "version.go", "../fault_js.go", "../main_js.go"), regexp.MustCompile(`Out\{"type": "(\w+)"`))
	sent["slept"] = true // the worker's own script
	union := declaration(t, ts, "ToPage")
	for _, name := range []string{"BootStep", "Slept", "Fault"} {
		union += declaration(t, ts, name)
	}
	if want := of(union, types); !maps.Equal(sent, want) {
		t.Errorf("the page takes %v, the module sends %v", keys(want), keys(sent))
	}
}

func keys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// declaration is the text of an interface, or of a type.
func declaration(t *testing.T, ts, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?ms)^export (?:interface|type) ` + name + `\b(.*?)(?:^\}|;\n\n)`).FindString(ts)
	if found == "" {
		t.Fatalf("protocol.ts has no %s", name)
	}
	return found
}

// fields are the names of an object's fields, those of all members of a union.
func fields(text string) map[string]bool {
	found := map[string]bool{}
	nested := regexp.MustCompile(`(?s): \{[^{}]*\}(\[\])?;`)
	text = nested.ReplaceAllString(text, ": object;")
	for _, m := range regexp.MustCompile(`(\w+)\??: `).FindAllStringSubmatch(text, -1) {
		found[m[1]] = true
	}
	return found
}

// goFields are the names that encoding/json gives a struct's fields.
func goFields(t *testing.T, file, name string) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			if field.Tag == nil { // encoding/json ignores case where it reads
				if embedded, ok := field.Type.(*ast.SelectorExpr); ok && len(field.Names) == 0 {
					maps.Copy(found, goFields(t, "../../core/bootstrap/token.go", embedded.Sel.Name))
				}
				for _, name := range field.Names {
					found[strings.ToLower(name.Name[:1])+name.Name[1:]] = true
				}
				continue
			}
			tag, err := strconv.Unquote(field.Tag.Value)
			if err != nil {
				t.Fatal(err)
			}
			json, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			found[json] = true
		}
		return false
	})
	if len(found) == 0 {
		t.Errorf("%s has no struct %s", file, name)
	}
	return found
}

package trace

import (
	"net/url"
	"slices"
	"strings"
)

// Withheld stands where a secret was.
const Withheld = "(not kept)"

// MaxText bounds a text of a step, in bytes.
const MaxText = 1 << 10

// Text bounds what somebody else wrote.
func Text(s string) string {
	if len(s) <= MaxText {
		return s
	}
	return strings.ToValidUTF8(s[:MaxText], "") + "…"
}

// Query is a request's query without what is not kept: the commands of exec, and any value of a
// parameter that is not known to be harmless.
func Query(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	kept := make(url.Values, len(q))
	for name, values := range q {
		if harmless[name] {
			kept[name] = values
		} else {
			kept[name] = []string{Withheld}
		}
	}
	return Text(kept.Encode())
}

// Path is the path that a probe or a hook asks for, without its query, which may be a token.
func Path(path string) string {
	if before, _, has := strings.Cut(path, "?"); has {
		return before + "?" + Withheld
	}
	return path
}

// reasons are why a program cannot be run, in the words of Linux and of runtimes.
var reasons = []string{"executable file not found in $PATH", "no such file or directory", "permission denied", "exec format error", "is a directory"}

// Failure is why a kubelet or a runtime could not do something, without what it quotes of a command: a hook's, with
// what that wrote, or the program of a container that could not be started. It may be quoted itself.
func Failure(message string) string {
	const hook, exec = "lifecycle hook", "exec: "
	if before, _, found := strings.Cut(message, hook); found {
		message = before + hook + " " + Withheld
	}
	if before, after, found := strings.Cut(message, exec); found {
		message = before + exec + Withheld
		for _, reason := range reasons {
			if strings.Contains(after, reason) {
				message += ": " + reason
				break
			}
		}
	}
	return Text(message)
}

// Address is a URL, or a host, without what may be a secret in it: user and password, query and fragment.
func Address(s string) string {
	scheme, rest, has := strings.Cut(s, "://")
	if has {
		scheme += "://"
	} else {
		scheme, rest = "", s
	}
	query := ""
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest, query = rest[:i], rest[i:i+1]+Withheld
	}
	authority, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = Withheld + authority[i:]
	} else if _, port, has := strings.Cut(authority, ":"); has && strings.Trim(port, "0123456789:abcdef[]") != "" {
		// Where a port would stand is something else: a password with a slash in it.
		if i := strings.LastIndexByte(path, '@'); i >= 0 {
			authority, path = Withheld, path[i:]
		}
	}
	return scheme + authority + path + query
}

// harmless are parameters of the API (k8s.io/apimachinery/pkg/apis/meta/v1, ListOptions,
// CreateOptions, …, and of pods' subresources) whose values say how something is asked for.
var harmless = map[string]bool{
	"allowWatchBookmarks": true, "container": true, "continue": true, "dryRun": true, "fieldManager": true,
	"fieldSelector": true, "fieldValidation": true, "follow": true, "force": true, "gracePeriodSeconds": true,
	"includeObject": true, "labelSelector": true, "limit": true, "limitBytes": true, "orphanDependents": true,
	"pretty": true, "previous": true, "propagationPolicy": true, "resourceVersion": true,
	"resourceVersionMatch": true, "sendInitialEvents": true, "sinceSeconds": true, "sinceTime": true,
	"stderr": true, "stdin": true, "stdout": true, "tailLines": true, "timeout": true, "timeoutSeconds": true,
	"timestamps": true, "tty": true, "watch": true, "as": true,
}

// openAnnotations are those whose values Kubernetes makes itself, of nothing that is secret. All others are
// people's own, or quote what people wrote: kubectl's last-applied-configuration, and change-cause.
var openAnnotations = map[string]bool{
	"deployment.kubernetes.io/revision": true, "deployment.kubernetes.io/desired-replicas": true,
	"deployment.kubernetes.io/max-replicas": true, "deprecated.daemonset.template.generation": true,
	"kubectl.kubernetes.io/restartedAt": true, "endpoints.kubernetes.io/last-change-trigger-time": true,
	"pv.kubernetes.io/bind-completed": true, "pv.kubernetes.io/bound-by-controller": true,
	"volume.kubernetes.io/selected-node": true, "volume.kubernetes.io/storage-provisioner": true,
	"volumes.kubernetes.io/controller-managed-attach-detach": true, "node.alpha.kubernetes.io/ttl": true,
}

// CutAnnotations cuts the values of annotations that may be secret. It changes the map.
func CutAnnotations(annotations map[string]string) {
	for name, value := range annotations {
		if value != "" && !openAnnotations[name] {
			annotations[name] = Withheld
		}
	}
}

// CutTree cuts from an object, given as it is in JSON, what no step may hold: the data of Secrets and
// ConfigMaps, values of annotations, what containers' states quote, and of any object what stands under a name
// that a secret may have. It changes the tree. The resource is the one that it was sent to, "" where nobody knows: what is sent need not
// say of which kind it is.
func CutTree(object map[string]any, resource string) {
	kind, _ := object["kind"].(string)
	cutTree(object, kind == "Secret" || kind == "ConfigMap" || hasData(resource))
}

// CutPatch does the same for a patch of an object of that resource: a list of operations, or some of its fields.
func CutPatch(patch any, resource string) { cutTree(patch, hasData(resource)) }

func hasData(resource string) bool { return resource == "secrets" || resource == "configmaps" }

func cutTree(value any, data bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			field := name
			if strings.HasPrefix(name, "$") {
				// A strategic merge patch says so of a field: "$setElementOrder/args".
				_, field, _ = strings.Cut(name, "/")
			}
			switch field {
			case "data", "stringData", "binaryData":
				if data {
					v[name] = withheld(inner)
					continue
				}
			case "annotations":
				if values, ok := inner.(map[string]any); ok {
					for key, value := range values {
						if value != "" && !openAnnotations[key] {
							values[key] = withheld(value)
						}
					}
					continue
				}
				v[name] = withheld(inner)
				continue
			case "value", "token", "password", "command", "args", "secret", "apiKey":
				v[name] = withheld(inner)
				continue
			default:
				// What custom resources call theirs. A map or a number under such a name says which secret, or how long.
				if isText(inner) && secretive(field) {
					v[name] = withheld(inner)
					continue
				}
			case "path":
				if text, ok := inner.(string); ok {
					v[name] = Path(text)
				}
			case "waiting", "terminated":
				// A container's state. What one says that has ended it has written itself.
				if state, ok := inner.(map[string]any); ok {
					if text, ok := state["message"].(string); ok && field == "waiting" {
						state["message"] = Failure(text)
					} else if ok && text != "" {
						state["message"] = Withheld
					}
				}
			case "managedFields":
				delete(v, name)
				continue
			}
			cutTree(inner, data)
		}
	case []any:
		for _, inner := range v {
			cutTree(inner, data)
		}
	}
}

// secretEnds are how names end that secrets have, in small letters and without what separates words.
var secretEnds = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "privatekey", "secretkey", "accesskey", "credential", "credentials",
	"connectionstring",
}

func secretive(name string) bool {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
	return slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(name, end) })
}

// isText is whether a value is a text, or a list that begins with one.
func isText(value any) bool {
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	_, ok := value.(string)
	return ok
}

// withheld stands for a value, with its shape: whose names are no secrets, and of a list that there is one.
func withheld(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = Withheld
		}
		return v
	case []any:
		return []any{Withheld}
	case nil:
		return nil
	}
	return Withheld
}

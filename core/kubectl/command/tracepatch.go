package command

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

const (
	// patchNotKept stands for a patch of which nothing can be said.
	patchNotKept = "(its body is not kept)"
	// valuesNotKept follows the shape of a patch.
	valuesNotKept = " (its values are not kept)"
	// maxShape bounds, in bytes, the shape of a patch, and maxPatch a patch that is read for it.
	maxShape, maxPatch = 240, 32 << 10
	// maxDepth bounds how deep it is followed.
	maxDepth = 12
)

// fieldName is what fields of the API look like. A key that somebody made up is shown if it does, and its value
// never.
var fieldName = regexp.MustCompile(`^[a-z][A-Za-z]{0,39}$`)

// keyed are fields whose keys are people's own: what is below them is not followed.
var keyed = []string{
	"data", "stringData", "binaryData", "annotations", "labels", "matchLabels", "nodeSelector", "value", "token",
	"password", "secret", "apiKey", "command", "args",
}

// patchShape is a patch as people wrote it, with dots in place of each value: which fields it is about is no
// secret, and what they are set to may be one.
func patchShape(text string) string {
	var body any
	if len(text) > maxPatch || yaml.Unmarshal([]byte(text), &body) != nil {
		return patchNotKept
	}
	var shape string
	switch v := body.(type) {
	case map[string]any:
		shape = shapeOf(v, maxDepth)
	case []any: // a JSON patch: what is done, and where
		shape = "[" + strings.Join(operations(v), ",") + "]"
	default:
		return patchNotKept
	}
	if len(shape) > maxShape {
		return patchNotKept
	}
	return shape + valuesNotKept
}

func shapeOf(value any, deep int) string {
	switch v := value.(type) {
	case map[string]any:
		if deep == 0 {
			return "…"
		}
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch {
			case !fieldName.MatchString(name):
				name = "…"
			case slices.Contains(keyed, name):
				name += ":…"
			default:
				name += ":" + shapeOf(v[name], deep-1)
			}
			if !slices.Contains(fields, name) {
				fields = append(fields, name)
			}
		}
		return "{" + strings.Join(fields, ",") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + shapeOf(v[0], deep-1) + "]"
	}
	return "…"
}

// known are the operations of a JSON patch (RFC 6902).
var known = []string{"add", "remove", "replace", "move", "copy", "test"}

func operations(patch []any) []string {
	var done []string
	for _, one := range patch {
		operation, _ := one.(map[string]any)
		op, _ := operation["op"].(string)
		path, _ := operation["path"].(string)
		if !slices.Contains(known, op) {
			op = "…"
		}
		done = append(done, op+" "+pathShape(path))
	}
	return done
}

// index is where in a list a JSON patch changes it.
var index = regexp.MustCompile(`^([0-9]{1,4}|-)$`)

func pathShape(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts[1:] {
		if !fieldName.MatchString(part) && !index.MatchString(part) {
			parts[i+1] = "…"
		}
		if slices.Contains(keyed, part) && len(parts) > i+2 {
			return strings.Join(parts[:i+2], "/") + "/…"
		}
	}
	return "/" + strings.Join(parts[1:], "/")
}

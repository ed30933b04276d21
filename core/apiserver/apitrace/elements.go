package apitrace

import (
	"encoding/json"
	"fmt"
	"strings"
)

// listKeys are fields by which elements of a list are told apart, as upstream's types have them
// (x-kubernetes-list-map-keys). The first that all elements have, each otherwise, is taken.
// web/journey/merge-keys.ts has the same, which its test holds.
var listKeys = [][]string{
	{"uid"},
	{"type"},
	{"containerPort", "protocol"},
	{"port", "protocol"},
	{"mountPath"},
	{"devicePath"},
	{"name"},
	{"ip"},
	{"topologyKey", "whenUnsatisfiable"},
	{"effect", "key"},
}

// keyDefaults are what a field of a key is where it is left out.
var keyDefaults = map[string]any{"protocol": "TCP"}

// elementNames names the elements of two lists as steps of a path, `[name="nginx"]`, as structured-merge-diff writes
// them. It reports whether that tells the elements of each apart; else their places have to.
func elementNames(before, after []any) (b, a []string, ok bool) {
	for _, keys := range listKeys {
		b, ok = named(before, keys)
		if !ok {
			continue
		}
		if a, ok = named(after, keys); ok {
			return b, a, true
		}
	}
	return nil, nil, false
}

func named(list []any, keys []string) ([]string, bool) {
	names := make([]string, 0, len(list))
	seen := make(map[string]bool, len(list))
	for _, element := range list {
		name, ok := elementName(element, keys)
		if !ok || seen[name] {
			return nil, false
		}
		seen[name] = true
		names = append(names, name)
	}
	return names, true
}

func elementName(element any, keys []string) (string, bool) {
	fields, ok := element.(map[string]any)
	if !ok {
		return "", false
	}
	parts := make([]string, 0, len(keys))
	for _, key := range keys {
		value, ok := fields[key]
		if !ok {
			value, ok = keyDefaults[key]
		}
		switch value.(type) {
		case string, int64, float64, bool:
		default:
			ok = false
		}
		if !ok {
			return "", false
		}
		text, err := json.Marshal(value)
		if err != nil {
			return "", false
		}
		parts = append(parts, fmt.Sprintf("%s=%s", key, text))
	}
	return "[" + strings.Join(parts, ",") + "]", true
}

// compareLists compares elements by their names, those that are gone last, or by their places.
func compareLists(path string, before, after []any, into *[]Change) {
	b, a, ok := elementNames(before, after)
	if !ok {
		for i := range max(len(before), len(after)) {
			var x, y any
			if i < len(before) {
				x = before[i]
			}
			if i < len(after) {
				y = after[i]
			}
			compare(fmt.Sprintf("%s[%d]", path, i), x, y, into)
		}
		return
	}
	was := make(map[string]any, len(b))
	for i, name := range b {
		was[name] = before[i]
	}
	for i, name := range a {
		compare(path+name, was[name], after[i], into)
		delete(was, name)
	}
	for _, name := range b {
		if gone, ok := was[name]; ok {
			compare(path+name, gone, nil, into)
		}
	}
}

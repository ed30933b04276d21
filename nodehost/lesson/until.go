package lesson

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Object is one that kubectl finds: "deploy/nginx -n demo".
type Object struct {
	Ref       string `json:"ref"` // "deploy/nginx"
	Namespace string `json:"namespace,omitempty"`
}

// Until is a condition of an object, as `kubectl wait` waits for it.
type Until struct {
	Object
	Reached string `json:"reached"` // "condition=Available", "jsonpath=…", "delete" or "create"
}

// The same as in web/lesson/block.ts. A word that begins with "-" would be taken for a flag.
var (
	objectRef = regexp.MustCompile(`^[a-z][a-z0-9.]*/[a-zA-Z0-9][\w.:-]*$`)
	condition = regexp.MustCompile(`^(?:[A-Za-z][\w./-]*(?:=\w+)?|jsonpath=\S+)$`)
	namespace = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	reserved  = regexp.MustCompile(`^(jsonpath|delete|create)\b`)
)

// ParseUntil reads "deploy/nginx Available", "pod/web Ready -n demo", "job/pi jsonpath={.status.active}=1"
// or "pod/web delete".
func ParseUntil(text string) (*Until, error) {
	words, ns, err := namespaced("until", text)
	if err != nil {
		return nil, err
	}
	if len(words) != 2 || !objectRef.MatchString(words[0]) || !condition.MatchString(words[1]) {
		return nil, fmt.Errorf("until=%q is not understood: write KIND/NAME and a condition, such as \"deploy/nginx Available\"", cut(text))
	}
	u := &Until{Object: Object{Ref: words[0], Namespace: ns}, Reached: words[1]}
	if !reserved.MatchString(u.Reached) {
		u.Reached = "condition=" + u.Reached
	}
	return u, nil
}

// parseObject reads "deploy/nginx" or "deploy/nginx -n demo".
func parseObject(text string) (*Object, error) {
	words, ns, err := namespaced("object", text)
	if err != nil {
		return nil, err
	}
	if len(words) != 1 || !objectRef.MatchString(words[0]) {
		return nil, fmt.Errorf("object=%q is not understood: write KIND/NAME, such as \"deploy/nginx\"", cut(text))
	}
	return &Object{Ref: words[0], Namespace: ns}, nil
}

// namespaced takes "-n NAMESPACE" out of words.
func namespaced(what, text string) (words []string, ns string, err error) {
	words = strings.Fields(text)
	at := slices.Index(words, "-n")
	if at == -1 {
		return words, "", nil
	}
	if at+1 < len(words) {
		ns = words[at+1]
	}
	if !namespace.MatchString(ns) {
		return nil, "", fmt.Errorf("%s=%q names no namespace after -n", what, cut(text))
	}
	return slices.Delete(words, at, at+2), ns, nil
}

// Args are kubectl's arguments that name it.
func (o Object) Args() []string {
	if o.Namespace == "" {
		return []string{o.Ref}
	}
	return []string{o.Ref, "-n", o.Namespace}
}

func (u Until) String() string {
	return strings.Join(append(u.Args(), u.Reached), " ")
}

package command

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// TestChangeCause: the line as upstream would write it, were its process the command's.
func TestChangeCause(t *testing.T) {
	for line, want := range map[string]string{
		"set image deployment/web web=nginx:1.29 --record":                    "kubectl set image deployment/web web=nginx:1.29 --record=true",
		"-n x scale --replicas 2 deployment web --record=true --token=s3cr3t": "kubectl scale deployment web --namespace=x --replicas=2 --record=true --token=CLASSIFIED",
		"run web --image=nginx --record -- sh -c date":                        "kubectl run web sh -c date --image=nginx --record=true",
		"set image deployment/web web=nginx:1.29":                             "",
		"set image deployment/web web=nginx:1.29 --record=false":              "",
		"get pods": "",
	} {
		words := strings.Fields("kubectl " + line)
		c, rest, err := tree(t).Find(words[1:])
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := changeCause(c, words); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestRecordingCorrects only what upstream has written, and nothing beside it.
func TestRecordingCorrects(t *testing.T) {
	r := &recording{"kubectl run \"x\""}
	const key = genericclioptions.ChangeCauseAnnotation
	for text, want := range map[string]string{
		`{"metadata":{"annotations":{"` + key + `":"js","b":"c"}},"n":9007199254740993}`: `{"metadata":{"annotations":{"b":"c","` + key + `":"kubectl run \"x\""}},"n":9007199254740993}`,
		`{"metadata":{"annotations":{"` + key + `":null}}}`:                              "", // a patch that takes it off
		`{"metadata":{"annotations":{"b":"c"}}}`:                                         "",
		`{"metadata":{"annotations":"` + key + `"}}`:                                     "",
		`{"spec":{"` + key + `":"js"}}`:                                                  "",
		`[{"op":"add","path":"/metadata/annotations"}]`:                                  "",
		`not JSON`: "",
	} {
		got, ok := r.correct([]byte(text))
		if string(got) != want || ok != (want != "") {
			t.Errorf("%s: %s, %v, want %s", text, got, ok, want)
		}
	}
}

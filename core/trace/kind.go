package trace

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Chapter is one of the guide's.
type Chapter string

// The guide's chapters, in the order in which a command comes to them; Start is what happens before
// the first command.
const (
	Start          Chapter = "start"
	Kubectl        Chapter = "kubectl"
	Authentication Chapter = "authentication"
	Authorization  Chapter = "authorization"
	Admission      Chapter = "admission"
	Etcd           Chapter = "etcd"
	Initializers   Chapter = "initializers"
	Controllers    Chapter = "controllers"
	Scheduler      Chapter = "scheduler"
	Kubelet        Chapter = "kubelet"
	CRI            Chapter = "cri"
	CNI            Chapter = "cni"
	Networking     Chapter = "networking"
	Startup        Chapter = "startup"
	WrapUp         Chapter = "wrap-up"
)

var chapters = []Chapter{
	Start, Kubectl, Authentication, Authorization, Admission, Etcd, Initializers, Controllers, Scheduler,
	Kubelet, CRI, CNI, Networking, Startup, WrapUp,
}

// Place is where upstream does what a step tells of: Text stands exactly once in the function Func
// ("Name", or "Type.Method" without a star) of Package. A test of core/cluster finds each in the
// modules of go.mod, so that an upgrade fails loudly, and keeps the lines in places.txt.
type Place struct{ Package, Func, Text string }

// Kind is what all steps of one kind have in common. It is declared once, by the tap.
type Kind struct {
	Chapter Chapter
	// Name is the part that acts and what it does: "authentication.accepted", "etcd.put",
	// "cri.RunPodSandbox".
	Name string
	// Variant tells steps of one kind apart that different lines of upstream do: "update" of "etcd.put", which
	// is a create without one.
	Variant string
	Place   Place
}

var declared struct {
	sync.Mutex
	kinds map[string]*Kind
}

// Declare declares a kind; it is for package variables. It panics if the name is taken, or the
// chapter is none of the guide's.
func Declare(c Chapter, name string, p Place) *Kind {
	if !slices.Contains(chapters, c) {
		panic(fmt.Sprintf("trace: %s: the guide has no chapter %q", name, c))
	}
	declared.Lock()
	defer declared.Unlock()
	if declared.kinds == nil {
		declared.kinds = map[string]*Kind{}
	}
	k := &Kind{Chapter: c, Name: name, Place: p}
	k.declare()
	return k
}

// Where declares where upstream does those of the kind's steps that are a variant: they are told with what
// it returns. As Declare it is for package variables, and panics if there is one of that name.
func (k *Kind) Where(variant string, p Place) *Kind {
	declared.Lock()
	defer declared.Unlock()
	v := &Kind{Chapter: k.Chapter, Name: k.Name, Variant: variant, Place: p}
	v.declare()
	return v
}

// declare is called with declared held.
func (k *Kind) declare() {
	if declared.kinds[k.Key()] != nil {
		panic(fmt.Sprintf("trace: %s is declared twice", k.Key()))
	}
	declared.kinds[k.Key()] = k
}

// Key is the kind's name, and its variant after a slash.
func (k *Kind) Key() string {
	if k.Variant == "" {
		return k.Name
	}
	return k.Name + "/" + k.Variant
}

// Kinds are all that are declared in this program, by chapter and name, each before its variants.
func Kinds() []*Kind {
	declared.Lock()
	defer declared.Unlock()
	return slices.SortedFunc(maps.Values(declared.kinds), func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(slices.Index(chapters, a.Chapter), slices.Index(chapters, b.Chapter)), strings.Compare(a.Name, b.Name), strings.Compare(a.Variant, b.Variant))
	})
}

// Lines says of each kind where its place is: lines of its key, file in Kubernetes' repository and line,
// with tabs between, or the key alone of what upstream has not. It is written by
// `go test ./core/cluster -run TestPlaces -update`.
//
//go:embed places.txt
var lines string

// Line is the kind's place in Kubernetes' repository, of the version that runs: a file and a line, ""
// and 0 if it has none.
func (k *Kind) Line() (file string, line int) {
	_, rest, found := strings.Cut("\n"+lines, "\n"+k.Key()+"\t")
	if !found {
		return "", 0
	}
	if _, err := fmt.Sscanf(rest, "%s\t%d\n", &file, &line); err != nil {
		return "", 0
	}
	return file, line
}

// URL is the address of that line in Kubernetes' repository; "" if there is none. version is
// Kubernetes', as "v1.36.3".
func (k *Kind) URL(version string) string {
	file, line := k.Line()
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("https://github.com/kubernetes/kubernetes/blob/%s/%s#L%d", version, file, line)
}

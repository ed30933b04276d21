package trace

import (
	"time"
)

// ID names a step of one bus; 0 is none. A step has its ID when it begins, and is told when it has
// ended: IDs are in the order of beginnings, the ring in that of ends.
type ID int64

// Object is what a step is about, as far as it is known.
type Object struct {
	Group, Version, Resource, Subresource string
	Namespace, Name                       string
	UID                                   string
	// ResourceVersion is that after the step.
	ResourceVersion string
}

// Step is one thing that happened.
type Step struct {
	// ID is set by the bus, unless it was reserved before.
	ID ID
	// At is when it began, by default now. Took is how long it lasted; 0 if it is a moment.
	At   time.Time
	Took time.Duration
	Kind *Kind
	// Component is whose step it is: "kubectl", "kube-apiserver", "etcd", "kubelet", ….
	Component string
	Object    Object
	// Cause is the step that it is drawn under; Causes are further ones.
	Cause  ID
	Causes []ID
	// Inferred is set where the cause was not carried here and was found by the object: the
	// latest step that wrote it, or its owner.
	Inferred bool
	// Node is where it happened, if on a node. Told is set if that node said so, over the
	// tunnel: it is as true as the node is honest.
	Node string
	Told bool
	// held is its weight as the bus counts it, for as long as it has the step.
	held int32
	// Details are the kind's own data, made JSON when somebody looks. Nothing may change them
	// once they are told. A Weigher is asked what it holds.
	Details any
	// Cut says what was left out, and why.
	Cut string

	// number is its place among the steps of the bus that have ended, but for the start's.
	number int64
}

// Weigher are details that hold more than a few words.
type Weigher interface {
	// Weight is about how many bytes they hold.
	Weight() int
}

// Weights in bytes, about.
const (
	stepWeight    = 336 // a Step and its place in the indexes
	detailsWeight = 256
)

func (s *Step) weight() int {
	n := stepWeight + 8*len(s.Causes) + len(s.Cut) + len(s.Object.Name) + len(s.Object.UID)
	switch d := s.Details.(type) {
	case nil:
	case Weigher:
		n += d.Weight()
	default:
		n += detailsWeight
	}
	return n
}

package apitrace

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/admission"

	"github.com/tabernetes/tabernetes/core/trace"
)

// plugin is one admission plugin. As upstream's own decorator it has both interfaces, whatever the
// plugin has: who asks for one that is not there gets no answer, as if it had not been asked.
type plugin struct {
	// mutator and validator are the plugin, nil for the phase that it has no part in.
	mutator   admission.MutationInterface
	validator admission.ValidationInterface
	name      string
	bus       *trace.Bus
	handles   operations
}

// newPlugin is for a plugin that has a part in the phases that does says.
func newPlugin(bus *trace.Bus, name string, next admission.Interface, does phases) *plugin {
	p := &plugin{name: name, bus: bus, handles: operationsOf(next)}
	if does.mutates {
		p.mutator, _ = next.(admission.MutationInterface)
	}
	if does.validates {
		p.validator, _ = next.(admission.ValidationInterface)
	}
	return p
}

// phases are those that a plugin has a part in.
type phases struct{ mutates, validates bool }

// operations are those that a plugin handles. It is asked once: each request asks every plugin twice.
type operations struct{ create, update, delete, connect bool }

func operationsOf(p admission.Interface) operations {
	return operations{p.Handles(admission.Create), p.Handles(admission.Update), p.Handles(admission.Delete), p.Handles(admission.Connect)}
}

func (o *operations) have(op admission.Operation) bool {
	switch op {
	case admission.Create:
		return o.create
	case admission.Update:
		return o.update
	case admission.Delete:
		return o.delete
	case admission.Connect:
		return o.connect
	}
	return false
}

var (
	_ admission.MutationInterface   = (*plugin)(nil)
	_ admission.ValidationInterface = (*plugin)(nil)
)

// Handles implements admission.Interface.
func (p *plugin) Handles(o admission.Operation) bool { return p.handles.have(o) }

// Admit implements admission.MutationInterface.
func (p *plugin) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if p.mutator == nil {
		return nil
	}
	t := of(ctx)
	if t == nil {
		return p.mutator.Admit(ctx, a, o)
	}
	if t.light {
		err := p.mutator.Admit(ctx, a, o)
		t.refuses(p.name, err, a.GetOperation(), mutating)
		return err
	}
	before := t.before(a.GetObject())
	if before != nil {
		t.took() // copying, and what was compared before that, is not its time
	}
	err := p.mutator.Admit(ctx, a, o)
	ran := Plugin{Name: p.name, Took: t.took(), Refused: err != nil}
	// What is the same in every bit, as it is after most plugins, is found out several times as fast.
	if before != nil && !reflect.DeepEqual(before, a.GetObject()) && !equality.Semantic.DeepEqual(before, a.GetObject()) {
		t.seen = nil // from now on it is before's that is cut
		ran.Changed = changed(before, a, o)
	}
	t.ran(ran, err, a.GetOperation(), mutating)
	return err
}

// Validate implements admission.ValidationInterface.
func (p *plugin) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if p.validator == nil {
		return nil
	}
	t := of(ctx)
	if t == nil {
		return p.validator.Validate(ctx, a, o)
	}
	if t.light {
		err := p.validator.Validate(ctx, a, o)
		t.refuses(p.name, err, a.GetOperation(), validating)
		return err
	}
	err := p.validator.Validate(ctx, a, o)
	t.ran(Plugin{Name: p.name, Took: t.took(), Refused: err != nil}, err, a.GetOperation(), validating)
	return err
}

package initializers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	"k8s.io/kubernetes/pkg/printers"
	printerstorage "k8s.io/kubernetes/pkg/printers/storage"
)

// newREST is the registry of InitializerConfigurations; changed is called after each change.
func newREST(options generic.RESTOptionsGetter, changed func()) (*registry.Store, error) {
	s := &registry.Store{
		NewFunc:                   func() runtime.Object { return &InitializerConfiguration{} },
		NewListFunc:               func() runtime.Object { return &InitializerConfigurationList{} },
		DefaultQualifiedResource:  resource,
		SingularQualifiedResource: admissionregistration.Resource("initializerconfiguration"),
		CreateStrategy:            strategy{legacyscheme.Scheme, names.SimpleNameGenerator},
		UpdateStrategy:            strategy{legacyscheme.Scheme, names.SimpleNameGenerator},
		DeleteStrategy:            strategy{legacyscheme.Scheme, names.SimpleNameGenerator},
		TableConvertor:            printerstorage.TableConvertor{TableGenerator: printers.NewTableGenerator().With(columns)},
		AfterCreate:               func(runtime.Object, *metav1.CreateOptions) { changed() },
		AfterUpdate:               func(runtime.Object, *metav1.UpdateOptions) { changed() },
		AfterDelete:               func(runtime.Object, *metav1.DeleteOptions) { changed() },
	}
	return s, s.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options})
}

// strategy is upstream's of such objects: cluster-wide, with a generation.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
}

var (
	_ rest.RESTCreateStrategy = strategy{}
	_ rest.RESTUpdateStrategy = strategy{}
)

func (strategy) NamespaceScoped() bool          { return false }
func (strategy) AllowCreateOnUpdate() bool      { return false }
func (strategy) AllowUnconditionalUpdate() bool { return false }
func (strategy) Canonicalize(runtime.Object)    {}

func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string {
	return []string{"initializers left Kubernetes in 1.14: this API is ours, for who reads of them; use MutatingAdmissionPolicy, or a webhook"}
}
func (strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

func (strategy) PrepareForCreate(_ context.Context, o runtime.Object) {
	o.(*InitializerConfiguration).Generation = 1
}

func (strategy) PrepareForUpdate(_ context.Context, o, old runtime.Object) {
	now, was := o.(*InitializerConfiguration), old.(*InitializerConfiguration)
	now.Generation = was.Generation
	if !equality.Semantic.DeepEqual(now.Initializers, was.Initializers) {
		now.Generation++
	}
}

func (strategy) Validate(_ context.Context, o runtime.Object) field.ErrorList {
	return validate(o.(*InitializerConfiguration))
}

func (strategy) ValidateUpdate(_ context.Context, o, _ runtime.Object) field.ErrorList {
	return validate(o.(*InitializerConfiguration))
}

// columns are what `kubectl get` shows.
func columns(h printers.PrintHandler) {
	definitions := []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: metav1.ObjectMeta{}.SwaggerDoc()["name"]},
		{Name: "Initializers", Type: "integer", Description: "How many initializers it names"},
		{Name: "Age", Type: "string", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]},
	}
	row := func(c *InitializerConfiguration) metav1.TableRow {
		age := duration.HumanDuration(time.Since(c.CreationTimestamp.Time))
		return metav1.TableRow{Cells: []any{c.Name, int64(len(c.Initializers)), age}, Object: runtime.RawExtension{Object: c}}
	}
	// Upstream refuses what is not such a function; these are.
	_ = h.TableHandler(definitions, func(c *InitializerConfiguration, _ printers.GenerateOptions) ([]metav1.TableRow, error) {
		return []metav1.TableRow{row(c)}, nil
	})
	_ = h.TableHandler(definitions, func(l *InitializerConfigurationList, _ printers.GenerateOptions) (rows []metav1.TableRow, err error) {
		for i := range l.Items {
			rows = append(rows, row(&l.Items[i]))
		}
		return rows, nil
	})
}

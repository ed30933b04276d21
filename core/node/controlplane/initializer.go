package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/core/initializers"
	"github.com/tabernetes/tabernetes/core/program"
)

// again is how often what still waits is looked at again: where a write has failed.
const again = 10 * time.Second

// initializer is what the guide's editions have in mind when they say that the controller would already be deployed: it
// watches what is not initialized, and does one of their three examples for each name that it is given.
func initializer(ctx context.Context, p *program.Process) int {
	return untilTold(ctx, p, func(ctx context.Context) error {
		pods, secrets, err := examples(p.Args[1:])
		if err != nil {
			return err
		}
		c, err := newClient(p, "initializer")
		if err != nil {
			return err
		}
		defer c.Close()
		config := &rest.Config{Host: c.URL(), QPS: -1}
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return initializers.Seeing{Next: next} })
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		var all sync.WaitGroup
		for _, w := range []*waiting{
			{resource: "pods", of: &corev1.Pod{}, examples: pods},
			{resource: "secrets", of: &corev1.Secret{}, examples: secrets},
		} {
			if len(w.examples) > 0 {
				w.api, w.say = client.CoreV1().RESTClient(), func(format string, args ...any) { fmt.Fprintf(p.Stdout, format+"\n", args...) }
				all.Go(func() { w.run(ctx) })
			}
		}
		all.Wait()
		return nil
	})
}

// examples are those that the flags name.
func examples(args []string) (pods, secrets []example, err error) {
	flags := pflag.NewFlagSet("initializer", pflag.ContinueOnError)
	flags.SetOutput(io.Discard) // the process's own; what is wrong is returned
	proxy := flags.String("sidecar", "", "")
	certificates := flags.String("certificates", "", "")
	namespace := flags.String("certificates-namespace", "test", "")
	long := flags.String("long-secrets", "", "")
	if err := flags.Parse(args); err != nil {
		return nil, nil, err
	}
	if *proxy != "" {
		pods = append(pods, example{*proxy, addSidecar})
	}
	if *certificates != "" {
		pods = append(pods, example{*certificates, addCertificates(*namespace)})
	}
	if *long != "" {
		secrets = append(secrets, example{*long, refuseShort})
	}
	if len(pods)+len(secrets) == 0 {
		return nil, nil, errors.New("name an initializer of an InitializerConfiguration by --sidecar, --certificates or --long-secrets, such as --sidecar=podimage.example.com")
	}
	return pods, secrets, nil
}

// example is what is done for an initializer's name.
type example struct {
	name string
	// act changes an object, and says what it did; "" for nothing. An error refuses the object.
	act func(metav1.Object) (did string, err error)
}

// waiting are the objects of a resource that wait for one of the examples.
type waiting struct {
	resource string
	of       runtime.Object
	examples []example
	api      rest.Interface
	say      func(format string, args ...any)
}

func (w *waiting) run(ctx context.Context) {
	look := func(o any) { w.look(ctx, o) }
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(w.api, w.resource, metav1.NamespaceAll, fields.Everything()),
		ObjectType:    w.of,
		Handler:       cache.ResourceEventHandlerFuncs{AddFunc: look, UpdateFunc: func(_, o any) { look(o) }},
		ResyncPeriod:  again,
		Transform:     w.keep,
	})
	informer.RunWithContext(ctx)
}

// next is the example that an object waits for; nil for none.
func (w *waiting) next(o metav1.Object) *example {
	for i := range w.examples {
		if initializers.Acts(o, w.examples[i].name) {
			return &w.examples[i]
		}
	}
	return nil
}

// keep drops what is of no use: there may be thousands, and some are secret.
func (w *waiting) keep(o any) (any, error) {
	m, ok := o.(metav1.Object)
	if !ok || w.next(m) != nil {
		return o, nil
	}
	small := metav1.ObjectMeta{Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUID(), ResourceVersion: m.GetResourceVersion()}
	switch o.(type) {
	case *corev1.Pod:
		return &corev1.Pod{ObjectMeta: small}, nil
	case *corev1.Secret:
		return &corev1.Secret{ObjectMeta: small}, nil
	}
	return o, nil
}

// look acts on an object if it is its turn.
func (w *waiting) look(ctx context.Context, o any) {
	m, ok := o.(metav1.Object)
	if !ok {
		return
	}
	e := w.next(m)
	if e == nil {
		return
	}
	did, err := w.initialize(ctx, o.(runtime.Object).DeepCopyObject(), e)
	switch {
	case ctx.Err() != nil, apierrors.IsConflict(err), apierrors.IsNotFound(err):
		// Somebody was faster; what is left of it comes once more.
	case err != nil:
		w.say("%s %s/%s: %s: %v; it is tried again", w.resource, m.GetNamespace(), m.GetName(), e.name, err)
	default:
		w.say("%s %s/%s: %s: %s", w.resource, m.GetNamespace(), m.GetName(), e.name, did)
	}
}

// initialize changes an object that is the caller's, takes the name off and writes it. What cannot be changed so is
// refused, as it would wait forever.
func (w *waiting) initialize(ctx context.Context, o runtime.Object, e *example) (did string, err error) {
	as := o.DeepCopyObject()
	m := o.(metav1.Object)
	did, why := e.act(m)
	if why == nil {
		initializers.Done(m)
		if err = w.write(ctx, o); err == nil {
			if did == "" {
				did = "nothing to do"
			}
			return did, nil
		}
		if !apierrors.IsInvalid(err) {
			return "", err
		}
		why, o, m = err, as, as.(metav1.Object)
	}
	if err := initializers.Refuse(m, fmt.Sprintf("initializer %s refuses %s %q: %v", e.name, w.resource, m.GetName(), why)); err != nil {
		return "", err
	}
	return "refused: " + why.Error(), w.write(ctx, o)
}

func (w *waiting) write(ctx context.Context, o runtime.Object) error {
	m := o.(metav1.Object)
	return w.api.Put().Namespace(m.GetNamespace()).Resource(w.resource).Name(m.GetName()).Body(o).Do(ctx).Error()
}

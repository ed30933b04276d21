// Command operator is an operator as people write them with controller-runtime, for the tests of
// nodehost: a kind of its own, objects that it owns, a status, a finalizer, leader election.
//
//	operator -namespace NS -id NAME      with KUBECONFIG
//
// It is a module of its own, since the project needs controller-runtime nowhere else.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.tabernetes.dev/farewell"

func main() {
	namespace := flag.String("namespace", "default", "namespace to look after")
	id := flag.String("id", "operator", "name of this process")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*namespace, *id); err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
}

func run(namespace, id string) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addToScheme(scheme)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:           scheme,
		Metrics:          metricsserver.Options{BindAddress: "0"},
		Cache:            cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		LeaderElection:   true,
		LeaderElectionID: "sites.example.tabernetes.dev", LeaderElectionNamespace: namespace,
		LeaderElectionResourceLock: resourcelock.LeasesResourceLock,
		// The lease's times are controller-runtime's own, as operators have them.
	})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(manager).For(&Site{}).Owns(&appsv1.Deployment{}).Complete(&reconciler{manager.GetClient(), id}); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

type reconciler struct {
	client.Client
	id string
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	site := &Site{}
	if err := r.Get(ctx, req.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.farewell(ctx, site)
	}
	if controllerutil.AddFinalizer(site, finalizer) {
		if err := r.Update(ctx, site); err != nil {
			return ctrl.Result{}, err
		}
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		labels := map[string]string{"site": site.Name}
		deployment.Spec.Replicas = &site.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		deployment.Spec.Template.Annotations = map[string]string{"text": site.Spec.Text}
		if len(deployment.Spec.Template.Spec.Containers) == 0 {
			deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "server", Image: "nginx"}}
		}
		return controllerutil.SetControllerReference(site, deployment, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	if status := (SiteStatus{deployment.Status.ReadyReplicas, r.id}); site.Status != status {
		before := client.MergeFrom(site.DeepCopyObject().(*Site))
		site.Status = status
		return ctrl.Result{}, r.Status().Patch(ctx, site, before)
	}
	return ctrl.Result{}, nil
}

// farewell leaves a note, and lets the site go.
func (r *reconciler) farewell(ctx context.Context, site *Site) error {
	note := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name + "-was-here"},
		Data:       map[string]string{"by": r.id},
	}
	if err := r.Create(ctx, note); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if controllerutil.RemoveFinalizer(site, finalizer) {
		return r.Update(ctx, site)
	}
	return nil
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-helpers/auth/rbac/reconciliation"

	"github.com/tabernetes/tabernetes/core/ingress"
	"github.com/tabernetes/tabernetes/core/pki"
)

// ingressClass is the default IngressClass that a new cluster has.
const ingressClass = "tabernetes"

// serveIngresses is the Ingress controller, until ctx is done.
func (c *Cluster) serveIngresses(ctx context.Context) error {
	if err := c.allowIngresses(ctx); err != nil {
		return fmt.Errorf("prepare Ingresses: %w", err)
	}
	config := c.insider(pki.IngressController).RESTConfig(pki.Pair{})
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("serve Ingresses: %w", err)
	}
	f := informers.NewSharedInformerFactory(client, 0)
	events := record.NewBroadcaster(record.WithContext(ctx))
	defer events.Shutdown()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(corev1.NamespaceAll)})
	controller := ingress.New(ingress.Options{
		Client: client, Services: c.services.informers, Ingresses: f, Address: ingressIP,
		Events: events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "ingress-controller"}),
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return nil, err
			}
			if err := c.reaches(network, ingressIP, ingressIP, to); err != nil {
				return nil, err
			}
			return c.dialFromPod(ctx, ingressIP, network, address)
		},
	})
	f.Start(ctx.Done())
	c.services.informers.Start(ctx.Done())
	var open []net.Listener
	for _, port := range []uint16{80, 443} {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", netip.AddrPortFrom(ingressIP, port).String())
		if err != nil {
			for _, l := range open {
				err = errors.Join(err, l.Close())
			}
			return fmt.Errorf("listen for Ingresses: %w", err)
		}
		open = append(open, l)
	}
	served := make(chan error, 1)
	go func() { served <- controller.Serve(ctx, open[0], open[1]) }()
	err = controller.Run(ctx)
	return errors.Join(err, <-served)
}

// allowIngresses lets the controller do its work, and the first time makes the IngressClass, as the default one
// unless there is another: what its owner makes of that later stays.
func (c *Cluster) allowIngresses(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.insider(pki.Admin).RESTConfig(pki.Pair{}))
	if err != nil {
		return err
	}
	name := metav1.ObjectMeta{Name: pki.IngressController.GetName()}
	// A kept cluster may have the role of an earlier version: what it lacks is added, as API servers do with theirs.
	role := reconciliation.ReconcileRoleOptions{Confirm: true, Client: reconciliation.ClusterRoleModifier{Client: client.RbacV1().ClusterRoles()}}
	role.Role = reconciliation.ClusterRoleRuleOwner{ClusterRole: &rbacv1.ClusterRole{ObjectMeta: name, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{networkingv1.GroupName}, Resources: []string{"ingresses", "ingressclasses"}, Verbs: []string{"list", "watch"}},
		{APIGroups: []string{networkingv1.GroupName}, Resources: []string{"ingresses/status"}, Verbs: []string{"update"}},
		// Certificates: which Secrets hold them is said by Ingresses.
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
	}}}
	if _, err := role.Run(); err != nil {
		return err
	}
	bindings := client.RbacV1().ClusterRoleBindings()
	if _, err := bindings.Get(ctx, name.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return err
	}
	class := &networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: ingressClass}, Spec: networkingv1.IngressClassSpec{Controller: ingress.ControllerName}}
	others, err := client.NetworkingV1().IngressClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	class.Annotations = map[string]string{networkingv1.AnnotationIsDefaultIngressClass: "true"}
	for _, other := range others.Items {
		if other.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true" {
			class.Annotations = nil
		}
	}
	if _, err := client.NetworkingV1().IngressClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	// The last of it: a start that was cut off is made good by the next one.
	_, err = bindings.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name.Name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
	}, metav1.CreateOptions{})
	return err
}

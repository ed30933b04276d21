package kubectl

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Laptop is a place beside a cluster, as a laptop's in the network of its nodes.
type Laptop interface {
	// DialFromLaptop connects to "IP:port": nodes, load balancers' addresses, external IPs.
	DialFromLaptop(ctx context.Context, network, address string) (net.Conn, error)
	// FindService is the Service that an address or a name stands for within the cluster, nil if there is none.
	FindService(host string) *corev1.Service
}

// unreached is an error with a sentence for who asked from outside for what is inside (tool.Explained).
type unreached struct {
	error
	sentence string
}

func (u unreached) Unwrap() error { return u.error }

// Explain implements tool.Explained.
func (u unreached) Explain() string { return u.sentence }

// explain adds the sentence to err where host is something that pods only reach.
func (n HostNetwork) explain(host string, err error) error {
	if n.Laptop == nil {
		return err
	}
	if sentence := whyNot(host, n.Laptop.FindService(host)); sentence != "" {
		return unreached{err, sentence}
	}
	return err
}

// whyNot says why what stands for a Service within the cluster does not lead to it from here, and what does; "" for a
// host of which the cluster knows nothing. s may be nil.
func whyNot(host string, s *corev1.Service) string {
	_, noIP := netip.ParseAddr(host)
	inside := strings.TrimSuffix(strings.ToLower(host), ".")
	switch {
	case s == nil && (strings.HasSuffix(inside, ".svc") || strings.HasSuffix(inside, ".svc.cluster.local")):
		return "Cluster DNS answers pods only, and this shell is outside of the cluster, as a laptop is."
	case s == nil:
		return ""
	case noIP == nil && host != s.Spec.ClusterIP:
		return "" // it is an address for outside, and does not answer for another reason
	case noIP == nil:
		return fmt.Sprintf("%s is the cluster IP of %s: pods reach it, and this shell is outside of the cluster, as a laptop is. Try: %s", host, of(s), waysTo(s))
	}
	return fmt.Sprintf("%s is a name of %s: cluster DNS tells it to pods, and this shell is outside of the cluster, as a laptop is. Try: %s", host, of(s), waysTo(s))
}

// of is a Service as people are told of it.
func of(s *corev1.Service) string {
	if s.Namespace == metav1.NamespaceDefault {
		return "Service " + s.Name
	}
	return "Service " + s.Name + " in namespace " + s.Namespace
}

// waysTo are two lines that lead to a Service: the one from outside that it has, and one from a pod.
func waysTo(s *corev1.Service) string {
	in, name := "", s.Name
	if s.Namespace != metav1.NamespaceDefault {
		in, name = " -n "+s.Namespace, s.Name+"."+s.Namespace
	}
	if len(s.Spec.Ports) == 0 {
		return fmt.Sprintf("kubectl run -it --rm --image=busybox client -- wget -qO- %s", name)
	}
	port := s.Spec.Ports[0]
	outside := fmt.Sprintf("kubectl port-forward%s service/%s 8080:%d", in, s.Name, port.Port)
	balanced := s.Status.LoadBalancer.Ingress
	switch {
	case len(balanced) > 0 && balanced[0].IP != "":
		outside = "curl " + net.JoinHostPort(balanced[0].IP, fmt.Sprint(port.Port))
	case port.NodePort != 0:
		outside = fmt.Sprintf("curl $(minikube service%s %s --url)", in, s.Name)
	}
	return fmt.Sprintf("%s, or kubectl run -it --rm --image=busybox client -- wget -qO- %s:%d", outside, name, port.Port)
}

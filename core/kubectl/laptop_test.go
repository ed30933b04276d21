package kubectl

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/shell/tool"
)

func TestWhyNot(t *testing.T) {
	service := func(change func(*corev1.Service)) *corev1.Service {
		s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
		s.Spec.ClusterIP, s.Spec.Ports = "10.96.3.4", []corev1.ServicePort{{Port: 80}}
		if change != nil {
			change(s)
		}
		return s
	}
	const pod = "kubectl run -it --rm --image=busybox client -- wget -qO- "
	for _, c := range []struct {
		host string
		s    *corev1.Service
		want string // "" for nothing
	}{
		{"10.96.3.4", service(nil), "10.96.3.4 is the cluster IP of Service web: pods reach it, and this shell is outside of the cluster, as a laptop is. Try: kubectl port-forward service/web 8080:80, or " + pod + "web:80"},
		{"web", service(nil), "web is a name of Service web: cluster DNS tells it to pods, and this shell is outside of the cluster, as a laptop is. Try: kubectl port-forward service/web 8080:80, or " + pod + "web:80"},
		{"web.shop", service(func(s *corev1.Service) { s.Namespace = "shop" }), "of Service web in namespace shop: cluster DNS tells it to pods, and this shell is outside of the cluster, as a laptop is. Try: kubectl port-forward -n shop service/web 8080:80, or " + pod + "web.shop:80"},
		{"web", service(func(s *corev1.Service) { s.Spec.Ports[0].NodePort = 30080 }), "Try: curl $(minikube service web --url), or " + pod + "web:80"},
		{"web", service(func(s *corev1.Service) {
			s.Spec.Ports[0].NodePort, s.Status.LoadBalancer.Ingress = 30080, []corev1.LoadBalancerIngress{{IP: "10.97.0.3"}}
		}), "Try: curl 10.97.0.3:80, or " + pod + "web:80"},
		{"out", service(func(s *corev1.Service) { s.Name, s.Spec.Ports = "out", nil }), "Try: " + pod + "out"},
		{"gone.default.svc.cluster.local", nil, "Cluster DNS answers pods only"}, {"gone.default.svc.", nil, "Cluster DNS answers pods only"},
		{"gone", nil, ""}, {"example.com", nil, ""}, {"10.244.0.9", nil, ""},
	} {
		if got := whyNot(c.host, c.s); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s:\n got %q\nwant %q", c.host, got, c.want)
		}
	}
}

// beside is a cluster that refuses everybody and has one Service.
type beside struct{}

var errRefused = errors.New("refused")

func (beside) DialFromLaptop(context.Context, string, string) (net.Conn, error) {
	return nil, errRefused
}

func (beside) FindService(host string) *corev1.Service {
	if host != "10.96.3.4" && host != "web" {
		return nil
	}
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}, Spec: corev1.ServiceSpec{ClusterIP: "10.96.3.4"}}
}

// TestWhatIsInsideIsExplained: only of what the cluster knows there is a sentence, and causes stay.
func TestWhatIsInsideIsExplained(t *testing.T) {
	n := HostNetwork{Laptop: beside{}}
	for address, want := range map[string]bool{"10.96.3.4:80": true, "10.97.0.3:80": false, "web:80": true, "nobody:80": false} {
		_, err := n.Dial(t.Context(), "tcp", address)
		var explained tool.Explained
		if errors.As(err, &explained) != want {
			t.Errorf("%s: %v; want a sentence: %v", address, err, want)
		}
		var noName *net.DNSError
		if !errors.Is(err, errRefused) && !errors.As(err, &noName) {
			t.Errorf("%s: %v has lost its cause", address, err)
		}
	}
	if _, err := (HostNetwork{}).Dial(t.Context(), "tcp", "web:80"); err == nil {
		t.Error("a name of nobody was dialled")
	}
}

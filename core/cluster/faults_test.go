package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/tabernetes/tabernetes/core/program"
)

// TestNodePortsRunOut: who comes too late is told, and gets one when somebody has gone.
func TestNodePortsRunOut(t *testing.T) {
	h := inBench(t)
	ctx, services := t.Context(), h.client.CoreV1().Services("default")
	const each = 200 // of a range of 2,768; by UDP, for which nobody listens
	make := func(i, ports int) error {
		s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("ports-", i), Labels: map[string]string{"ports": "many"}}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort}}
		for p := range ports {
			s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Name: fmt.Sprint("p", p), Port: int32(p + 1), Protocol: corev1.ProtocolUDP})
		}
		_, err := services.Create(ctx, s, metav1.CreateOptions{})
		return err
	}
	defer h.kubectl("delete service -l ports=many")
	var err error
	i := 0
	for ; err == nil && i < 20; i++ {
		err = make(i, each)
	}
	if err == nil || !strings.Contains(err.Error(), "range is full") {
		t.Fatalf("after %d Services with %d ports each: %v", i, each, err)
	}
	if err := services.Delete(ctx, "ports-0", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	// The ports are given back when the Service is gone from the store, and so before Delete returns.
	if err := make(i, each); err != nil {
		t.Error(err)
	}
}

// TestAnEndpointDiesDuringATransfer: who reads and who only waits is told, and the next connection finds another.
func TestAnEndpointDiesDuringATransfer(t *testing.T) {
	h := inBench(t)
	h.pods()
	defer h.kubectl("delete namespace bench")
	for i := range 2 {
		h.kubectl(fmt.Sprintf(`run dies-%d -n bench --image=%s --labels=dies=yes --command -- /answers`, i, benchImage))
	}
	h.kubectl("create service clusterip dies -n bench --tcp=82 --tcp=83 --tcp=84")
	h.kubectl("set selector service dies -n bench dies=yes")
	h.kubectl("wait -n bench --for=condition=Ready --timeout=60s pod -l dies=yes")
	pod, err := h.client.CoreV1().Pods("bench").Get(t.Context(), "dies-0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	h.in(func(ctx context.Context, p *program.Process) error {
		reads, err := p.Net.Dial(ctx, "tcp", pod.Status.PodIP+":83")
		if err != nil {
			return err
		}
		if _, err := io.ReadFull(reads, make([]byte, 1<<20)); err != nil {
			return errors.Join(err, reads.Close())
		}
		waits, err := p.Net.Dial(ctx, "tcp", pod.Status.PodIP+":84")
		if err != nil {
			return errors.Join(err, reads.Close())
		}
		for _, c := range []net.Conn{reads, waits} {
			go func() {
				defer c.Close()
				_, err := io.Copy(io.Discard, c)
				ended <- err
			}()
		}
		return nil
	})
	h.kubectl("delete pod dies-0 -n bench --force --grace-period=0")
	for range 2 {
		t.Log(<-ended) // an end of file, or a reset: either tells
	}
	h.in(func(ctx context.Context, p *program.Process) error {
		for range 50 {
			c, err := p.Net.Dial(ctx, "tcp", "dies.bench:82")
			if err != nil {
				return err
			}
			who, err := io.ReadAll(c)
			_ = c.Close()
			if err != nil || string(who) != "dies-1" {
				return fmt.Errorf("%q answered: %w", who, err)
			}
		}
		return nil
	})
}

// TestPodsKilledAtOnce: 100 of them (300 in the long lane) go, their addresses are given back, and the nodes run what
// comes next.
func TestPodsKilledAtOnce(t *testing.T) {
	pods := 100
	if os.Getenv("TABERNETES_LONG") != "" {
		pods = 300
	}
	h := inBench(t)
	before := leases(t)
	h.kubectl("create namespace crowd")
	defer h.kubectl("delete namespace crowd --wait=false")
	h.kubectl(fmt.Sprintf("create deployment crowd -n crowd --image=registry.k8s.io/pause --replicas=%d", pods))
	h.kubectl("rollout status deployment/crowd -n crowd --timeout=300s")
	if now := leases(t); now < before+pods {
		t.Errorf("%d pods have %d addresses", pods, now-before)
	}
	h.kubectl("delete deployment,replicaset -n crowd --all --cascade=orphan")
	h.kubectl("delete pods -n crowd --all --force --grace-period=0")
	h.kubectl("create deployment next -n crowd --image=registry.k8s.io/pause --replicas=3")
	h.kubectl("rollout status deployment/next -n crowd --timeout=300s")
	if err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 2*time.Minute, true, func(context.Context) (bool, error) {
		return leases(t) <= before+3, nil
	}); err != nil {
		t.Errorf("%d addresses are left of %d pods: %v", leases(t)-before-3, pods, err)
	}
	h.kubectl("wait --for=condition=Ready node --all --timeout=60s")
}

// leases counts the addresses that are given, as host-local has them in files of the nodes.
func leases(t *testing.T) int {
	files, err := filepath.Glob(filepath.Join(dataDir, "nodes", "*", "var/lib/cni/networks/*/10.*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

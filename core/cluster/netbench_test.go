package cluster_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/node/agnhost"
	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
)

// inPod is what the benchmarks' pods do: functions of theirs, one after the other, with the pod's own network.
var inPod = map[string]chan func(context.Context, *program.Process){"asks": make(chan func(context.Context, *program.Process))}

const benchImage = "tabernetes.internal/bench"

// benchImages are the images that every cluster has, and that of the benchmarks.
func benchImages() *image.Registry {
	r := image.Builtins(shell.Tools(), agnhost.Commands())
	if err := r.Register(image.Image{Names: []string{benchImage}, Programs: map[string]program.Program{"/asks": asks, "/answers": answers}}); err != nil {
		panic(err) // a constant name does not parse
	}
	return r
}

func asks(ctx context.Context, p *program.Process) int {
	for {
		select {
		case <-ctx.Done():
			return 0
		case <-p.Signals:
			return 0
		case f := <-inPod["asks"]:
			f(ctx, p)
		}
	}
}

// answers swallows what comes by TCP to 81 and acknowledges its length, says who it is on 82, sends without end on 83,
// waits on 84, and acknowledges datagrams to 81.
func answers(ctx context.Context, p *program.Process) int {
	serve := func(port string, f func(net.Conn)) error {
		l, err := p.Net.Listen(ctx, "tcp", ":"+port)
		if err != nil {
			return err
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() { defer c.Close(); f(c) }()
			}
		}()
		return nil
	}
	err := errors.Join(serve("81", func(c net.Conn) {
		n, _ := io.Copy(io.Discard, c)
		_ = binary.Write(c, binary.BigEndian, n)
	}), serve("82", func(c net.Conn) { _, _ = io.WriteString(c, p.Hostname) }), serve("83", func(c net.Conn) {
		for chunk := make([]byte, 64<<10); ; {
			if _, err := c.Write(chunk); err != nil {
				return
			}
		}
	}), serve("84", func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }))
	datagrams, errDatagrams := p.Net.ListenPacket(ctx, "udp", ":81")
	if err := errors.Join(err, errDatagrams); err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	go func() {
		select {
		case <-p.Signals:
		case <-ctx.Done():
		}
		_ = datagrams.Close()
	}()
	buf := make([]byte, 2048)
	for {
		n, from, err := datagrams.ReadFrom(buf)
		if err != nil {
			return 0
		}
		if n < 8 { // the last of a window
			_, _ = datagrams.WriteTo(buf[:n], from)
		}
	}
}

// bench is the cluster as the benchmarks of the network, and tests of its faults, use it.
type bench struct {
	testing.TB
	client kubernetes.Interface
}

// benchPods says whether the pods run.
var benchPods bool

func benched(b *testing.B) bench {
	h := inBench(b)
	if !benchPods {
		benchPods = true
		h.pods()
	}
	b.ResetTimer()
	return h
}

// inBench is it without any pods.
func inBench(t testing.TB) bench {
	config := running.AdminConfig()
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return bench{t, client}
}

// pods has the pods run; whoever asks for them has their namespace go.
func (h bench) pods() {
	h.Helper()
	h.kubectl("create namespace bench")
	h.kubectl("run asks -n bench --image=" + benchImage + ` --overrides='{"spec":{"nodeName":"node-1"}}' --command -- /asks`)
	for i, node := range []string{"node-2", "node-3"} {
		h.kubectl(fmt.Sprintf(`run answers-%d -n bench --image=%s --overrides='{"spec":{"nodeName":"%s"}}' --command -- /answers`, i, benchImage, node))
	}
	h.kubectl("create deployment web -n bench --image=nginx --replicas=3")
	h.kubectl("expose deployment web -n bench --port=80")
	h.kubectl("expose pod answers-0 -n bench --name=tcp --port=81")
	h.kubectl("expose pod answers-0 -n bench --name=udp --port=81 --protocol=UDP")
	h.kubectl("rollout status deployment/web -n bench --timeout=60s")
	h.kubectl("wait -n bench --for=condition=Ready --timeout=60s pod --all")
}

func (h bench) kubectl(line string) {
	h.Helper()
	var out, errs bytes.Buffer
	if code := terminal(h.Context(), "kubectl "+line, &out, &errs); code != 0 {
		h.Fatalf("kubectl %s: %s%s", line, out.String(), errs.String())
	}
}

// in runs f in the pod that asks, until its error is nil: what is new may not be known to it yet.
func (h bench) in(f func(ctx context.Context, p *program.Process) error) {
	h.Helper()
	var err error
	for range 200 {
		done := make(chan error, 1)
		inPod["asks"] <- func(ctx context.Context, p *program.Process) { done <- f(ctx, p) }
		if err = <-done; err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.Fatal(err)
}

// quantiles reports the median and the 99th percentile of what single operations took.
func (h bench) quantiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for name, q := range map[string]int{"p50-ms": 50, "p99-ms": 99} {
		b.ReportMetric(float64(took[(len(took)-1)*q/100])/1e6, name)
	}
}

// BenchmarkNetwork is what in-tab pods have of their network: `scripts/bench-network`.
func BenchmarkNetwork(b *testing.B) {
	b.Run("request", func(b *testing.B) {
		h := benched(b)
		h.in(func(ctx context.Context, p *program.Process) error {
			client := &http.Client{Transport: &http.Transport{DialContext: p.Net.Dial, DisableKeepAlives: true}}
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://web.bench/", nil)
				if err != nil {
					return err
				}
				resp, err := client.Do(req)
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if err != nil {
					return err
				}
				took = append(took, time.Since(begin))
			}
			h.quantiles(b, took)
			b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "1/s")
			return nil
		})
	})
	b.Run("tcp", func(b *testing.B) {
		h := benched(b)
		chunk := make([]byte, 64<<10)
		b.SetBytes(int64(len(chunk)))
		h.in(func(ctx context.Context, p *program.Process) error {
			c, err := p.Net.Dial(ctx, "tcp", "tcp.bench:81")
			if err != nil {
				return err
			}
			defer c.Close()
			sent := int64(0)
			for b.Loop() {
				n, err := c.Write(chunk)
				if err != nil {
					return err
				}
				sent += int64(n)
			}
			var got int64
			if err := errors.Join(c.(interface{ CloseWrite() error }).CloseWrite(), binary.Read(c, binary.BigEndian, &got)); err != nil || got != sent {
				return fmt.Errorf("%d bytes of %d came: %w", got, sent, err)
			}
			return nil
		})
	})
	b.Run("udp", func(b *testing.B) {
		h := benched(b)
		const window = 64 // what waits for a socket is bounded
		chunk := make([]byte, 1400)
		b.SetBytes(window * int64(len(chunk)))
		h.in(func(ctx context.Context, p *program.Process) error {
			c, err := p.Net.Dial(ctx, "udp", "udp.bench:81")
			if err != nil {
				return err
			}
			defer c.Close()
			for b.Loop() {
				for range window {
					if _, err := c.Write(chunk); err != nil {
						return err
					}
				}
				if _, err := c.Write(chunk[:4]); err != nil {
					return err
				}
				if _, err := c.Read(make([]byte, 8)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	b.Run("name", func(b *testing.B) {
		h := benched(b)
		h.in(func(ctx context.Context, p *program.Process) error {
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				if _, err := p.Net.LookupHost(ctx, "web.bench.svc.cluster.local."); err != nil {
					return err
				}
				took = append(took, time.Since(begin))
			}
			h.quantiles(b, took)
			return nil
		})
	})
	b.Run("endpoint", benchmarkEndpoint)
}

// benchmarkEndpoint: from the write of an EndpointSlice until connections lead to the new endpoint.
func benchmarkEndpoint(b *testing.B) {
	h := benched(b)
	ctx, slices := b.Context(), h.client.DiscoveryV1().EndpointSlices("bench")
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "moves"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 82}}}}
	if _, err := h.client.CoreV1().Services("bench").Create(ctx, service, metav1.CreateOptions{}); err != nil {
		b.Fatal(err)
	}
	defer h.kubectl("delete service,endpointslice -n bench moves")
	var ips []string
	for i := range 2 {
		pod, err := h.client.CoreV1().Pods("bench").Get(ctx, fmt.Sprintf("answers-%d", i), metav1.GetOptions{})
		if err != nil {
			b.Fatal(err)
		}
		ips = append(ips, pod.Status.PodIP)
	}
	port, ready := int32(82), true
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "moves", Labels: map[string]string{discoveryv1.LabelServiceName: "moves"}},
		AddressType: discoveryv1.AddressTypeIPv4, Ports: []discoveryv1.EndpointPort{{Name: new(string), Port: &port}},
		Endpoints: []discoveryv1.Endpoint{{Addresses: ips[:1], Conditions: discoveryv1.EndpointConditions{Ready: &ready}}},
	}
	slice, err := slices.Create(ctx, slice, metav1.CreateOptions{})
	if err != nil {
		b.Fatal(err)
	}
	leadsTo := func(who string) {
		h.in(func(ctx context.Context, p *program.Process) error {
			for range 10000 {
				c, err := p.Net.Dial(ctx, "tcp", "moves.bench:82")
				if err != nil {
					continue
				}
				name, err := io.ReadAll(c)
				_ = c.Close()
				if err != nil || strings.TrimSpace(string(name)) == who {
					return err
				}
			}
			return fmt.Errorf("nothing leads to %s", who)
		})
	}
	leadsTo("answers-0")
	var took []time.Duration
	for i := 1; b.Loop(); i++ {
		slice.Endpoints[0].Addresses = ips[i%2 : i%2+1]
		begin := time.Now()
		if slice, err = slices.Update(ctx, slice, metav1.UpdateOptions{}); err != nil {
			b.Fatal(err)
		}
		leadsTo(fmt.Sprintf("answers-%d", i%2))
		took = append(took, time.Since(begin))
	}
	h.quantiles(b, took)
}

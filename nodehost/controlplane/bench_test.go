package controlplane

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/hub"
)

const benchSecret = "a pairing secret of the bench"

// beside is a native core without nodes that can be reached directly and through a hub; one for
// the whole process, since upstream allows no second one.
var beside = sync.OnceValues(func() (map[string]string, error) {
	dir, err := os.MkdirTemp("", "hub-bench-")
	if err != nil {
		return nil, err
	}
	clients, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h, err := hub.New(hub.Options{Secret: benchSecret, ClientListener: clients})
	if err != nil {
		return nil, err
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "hub.sock"))
	if err != nil {
		return nil, err
	}
	go h.Run(context.Background())
	go (&http.Server{Handler: h, ConnContext: hub.Socket}).Serve(socket)
	ready, failed := make(chan struct{}), make(chan error, 1)
	through := filepath.Join(dir, "kubeconfig")
	go func() {
		failed <- Run(context.Background(), Options{
			Dir: dir, Socket: socket.Addr().String(), Secret: benchSecret, Name: "bench", Kubeconfig: through,
			Ready:   func(tunnel.Welcome) { close(ready) },
			Log:     slog.New(slog.DiscardHandler),
			Cluster: cluster.Options{Listen: "127.0.0.1:0"},
		})
	}()
	select {
	case <-ready:
	case err := <-failed:
		return nil, err
	}
	ways := map[string]string{"direct": filepath.Join(dir, "cluster", "admin.conf"), "hub": through}
	if tab := os.Getenv("TABERNETES_KUBECONFIG"); tab != "" {
		ways["tab"] = tab
	}
	return ways, nil
})

// benchObjects is how many objects LIST returns.
const benchObjects = 500

// benchBytes is the size of the one object whose reading is measured as throughput.
const benchBytes = 512 << 10

// BenchmarkAPI measures requests one after the other, on the native core directly, on the same
// core through the hub, and on the cluster that TABERNETES_KUBECONFIG names, if it does.
func BenchmarkAPI(b *testing.B) {
	ways, err := beside()
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []string{"direct", "hub", "tab"} {
		if ways[way] == "" {
			continue
		}
		config, err := clientcmd.BuildConfigFromFlags("", ways[way])
		if err != nil {
			b.Fatal(err)
		}
		config.QPS = -1
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			b.Fatal(err)
		}
		ns := fmt.Sprintf("bench-%s-%d", way, time.Now().UnixNano())
		ctx := context.Background()
		if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
		maps := client.CoreV1().ConfigMaps(ns)
		made := 0
		create := func() error {
			made++
			_, err := maps.Create(ctx, &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c-%d", made)}, Data: map[string]string{"k": "v"},
			}, metav1.CreateOptions{})
			return err
		}
		for range benchObjects {
			if err := create(); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(way+"/get", func(b *testing.B) {
			measure(b, func() error {
				_, err := maps.Get(ctx, "c-1", metav1.GetOptions{})
				return err
			})
		})
		b.Run(way+"/list500", func(b *testing.B) {
			measure(b, func() error {
				_, err := maps.List(ctx, metav1.ListOptions{Limit: benchObjects})
				return err
			})
		})
		big := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "big"}, BinaryData: map[string][]byte{"b": make([]byte, benchBytes)}}
		_, _ = rand.NewChaCha8([32]byte{}).Read(big.BinaryData["b"]) // what does not compress; it never fails
		if _, err := maps.Create(ctx, big, metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
		b.Run(way+"/create", func(b *testing.B) { measure(b, create) })
		b.Run(way+"/watch", func(b *testing.B) {
			w, err := maps.Watch(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", "c-1").String()})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Stop()
			one, err := maps.Get(ctx, "c-1", metav1.GetOptions{})
			if err != nil {
				b.Fatal(err)
			}
			<-w.ResultChan()
			i := 0
			// From the request for a change to the event of it.
			measure(b, func() error {
				i++
				one.Data = map[string]string{"k": fmt.Sprint(way, b.N, i)}
				if one, err = maps.Update(ctx, one, metav1.UpdateOptions{}); err != nil {
					return err
				}
				<-w.ResultChan()
				return nil
			})
		})
		protobuf := *config
		protobuf.ContentType = runtime.ContentTypeProtobuf
		raw, err := kubernetes.NewForConfig(&protobuf)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(way+"/throughput", func(b *testing.B) {
			b.SetBytes(benchBytes)
			for b.Loop() {
				if _, err := raw.CoreV1().ConfigMaps(ns).Get(ctx, "big", metav1.GetOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		_ = client.CoreV1().Namespaces().Delete(ctx, ns, metav1.DeleteOptions{})
	}
}

// measure reports the median and the 99th percentile of f.
func measure(b *testing.B, f func() error) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[min(len(took)-1, int(share*float64(len(took))))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}

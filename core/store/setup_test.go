package store_test

import (
	"context"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apimachinery/pkg/api/apitesting"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/utils/clock"

	"github.com/tabernetes/tabernetes/core/store"
)

// testPrefix is what the transformer of the tests puts before each value.
const testPrefix = "test!"

var (
	scheme = runtime.NewScheme()
	codecs = serializer.NewCodecFactory(scheme)
	codec  runtime.Codec
)

func init() {
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
	codec = apitesting.TestCodec(codecs, examplev1.SchemeGroupVersion)
}

// backend is upstream's etcd3 storage over a store of ours, and what the suite
// wants to get at.
type backend struct {
	storage.Interface
	ours        *store.Store
	client      *kubernetes.Client
	lists       *storagetesting.KubernetesRecorder
	reads       *readCounter
	prefix      *storagetesting.PrefixTransformer
	transformer *swapTransformer
	// estimate switches etcd3's size estimation on.
	estimate func() error
	// compacted is the revision etcd3's compactor has seen.
	compacted func() int64
}

type setup struct {
	store       store.Options
	prefix      string // of all keys, as --etcd-prefix
	transformer func(value.Transformer) value.Transformer
}

// newBackend assembles etcd3.New as upstream's own tests do
// (k8s.io/apiserver/pkg/storage/etcd3/store_test.go, testSetup).
func newBackend(t testing.TB, configure ...func(*setup)) *backend {
	t.Helper()
	var opts setup
	for _, f := range configure {
		f(&opts)
	}
	s, err := store.Open(opts.store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })

	b := &backend{ours: s, client: s.Client()}
	t.Cleanup(func() { _ = b.client.Close() })
	b.reads = &readCounter{Interface: b.client.Kubernetes}
	b.lists = storagetesting.NewKubernetesRecorder(b.reads)
	b.client.Kubernetes = b.lists

	b.prefix = storagetesting.NewPrefixTransformer([]byte(testPrefix), false)
	b.transformer = &swapTransformer{}
	b.transformer.set(b.prefix)
	var transformer value.Transformer = b.transformer
	if opts.transformer != nil {
		transformer = opts.transformer(transformer)
	}

	versioner := storage.APIObjectVersioner{}
	compactor := etcd3.NewCompactor(b.client.Client, 0, clock.RealClock{}, nil)
	t.Cleanup(compactor.Stop)
	lease := etcd3.NewDefaultLeaseManagerConfig()
	lease.ReuseDurationSeconds = 1 // keys live at most this much longer
	e, err := etcd3.New(
		b.client, compactor, codec,
		func() runtime.Object { return &example.Pod{} },
		func() runtime.Object { return &example.PodList{} },
		opts.prefix, "/pods/", schema.GroupResource{Resource: "pods"},
		transformer, lease,
		etcd3.NewDefaultDecoder(codec, versioner), versioner,
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	b.Interface = e
	b.compacted = e.CompactRevision
	b.estimate = func() error { return e.EnableResourceSizeEstimation(b.keys) }
	return b
}

// readCounter counts single reads and lists together, as upstream's KVRecorder
// counts the Gets that both become in etcd's own client.
type readCounter struct {
	kubernetes.Interface
	n atomic.Uint64
}

func (r *readCounter) Get(ctx context.Context, key string, opts kubernetes.GetOptions) (kubernetes.GetResponse, error) {
	r.n.Add(1)
	return r.Interface.Get(ctx, key, opts)
}

func (r *readCounter) List(ctx context.Context, prefix string, opts kubernetes.ListOptions) (kubernetes.ListResponse, error) {
	r.n.Add(1)
	return r.Interface.List(ctx, prefix, opts)
}

// swapTransformer is a transformer that a test can replace while storage holds it.
type swapTransformer struct {
	mu  sync.RWMutex
	cur value.Transformer
}

func (s *swapTransformer) get() value.Transformer {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.cur
}

func (s *swapTransformer) set(t value.Transformer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cur = t
}

func (s *swapTransformer) TransformFromStorage(ctx context.Context, data []byte, dataCtx value.Context) ([]byte, bool, error) {
	return s.get().TransformFromStorage(ctx, data, dataCtx)
}

func (s *swapTransformer) TransformToStorage(ctx context.Context, data []byte, dataCtx value.Context) ([]byte, error) {
	return s.get().TransformToStorage(ctx, data, dataCtx)
}

// UpdatePrefixTransformer implements storagetesting.InterfaceWithPrefixTransformer.
func (b *backend) UpdatePrefixTransformer(modify storagetesting.PrefixTransformerModifier) func() {
	changed := *b.prefix
	b.transformer.set(modify(&changed))
	return func() { b.transformer.set(b.prefix) }
}

// CorruptTransformer implements storagetesting.InterfaceWithCorruptTransformer.
func (b *backend) CorruptTransformer() func() {
	b.transformer.set(bitFlipper{b.prefix})
	return func() { b.transformer.set(b.prefix) }
}

var (
	_ storagetesting.InterfaceWithPrefixTransformer  = (*backend)(nil)
	_ storagetesting.InterfaceWithCorruptTransformer = (*backend)(nil)
)

func progressEvery(d time.Duration) func(*setup) {
	return func(s *setup) { s.store.ProgressInterval = d }
}

// nativelyOnly leaves a test out on js, for a reason.
func nativelyOnly(t *testing.T, reason string) {
	t.Helper()
	if goruntime.GOOS == "js" {
		t.Skip("natively only: " + reason)
	}
}

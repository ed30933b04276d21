package node_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/remotecommand"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/netns"
)

func TestMain(m *testing.M) { netns.Main(tidy{m}, cluster.Addresses()...) }

// tidy removes the cluster's files when all tests are through.
type tidy struct{ m *testing.M }

func (r tidy) Run() int {
	code := r.m.Run()
	if root != "" {
		os.RemoveAll(root) // nodes are still running: what they write now stays
	}
	return code
}

// root is the directory of the one cluster of this process; empty before start.
var root string

// patience is how long anything may take on a busy machine.
const patience = time.Minute

// control is a real control plane with three in-tab nodes, one for the process:
// upstream keeps state in package variables.
type control struct {
	*kubernetes.Clientset
	*cluster.Cluster
	config *rest.Config
	dir    string
}

var start = sync.OnceValues(func() (*control, error) {
	dir, err := os.MkdirTemp("", "node") // short: unix sockets lie below it
	if err != nil {
		return nil, err
	}
	root = dir
	config, err := cluster.Options{Dir: dir, Listen: "127.0.0.1:0", Nodes: 3}.Complete()
	if err != nil {
		return nil, err
	}
	c, err := config.New()
	if err != nil {
		return nil, err
	}
	failed := make(chan error, 1)
	go func() { failed <- c.Run(context.Background()) }()
	select {
	case <-c.Ready():
	case err := <-failed:
		return nil, err
	case <-time.After(patience):
		return nil, errors.New("cluster not ready in time")
	}
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	return &control{client, c, c.AdminConfig(), dir}, err
})

func startCluster(t *testing.T) *control {
	t.Helper()
	netns.Require(t)
	c, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// namespace makes a namespace that has its default service account.
func (c *control) namespace(t *testing.T, name string) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := c.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		// Each pod mounts both; one that comes sooner has a Warning event.
		_, err := c.CoreV1().ServiceAccounts(name).Get(t.Context(), "default", metav1.GetOptions{})
		if err == nil {
			_, err = c.CoreV1().ConfigMaps(name).Get(t.Context(), "kube-root-ca.crt", metav1.GetOptions{})
		}
		if err == nil {
			return name
		}
		if !apierrors.IsNotFound(err) || time.Now().After(deadline) {
			t.Fatalf("what a controller puts into namespace %s: %v", name, err)
		}
	}
}

// until watches a pod until cond holds and returns it then. A deleted pod is nil.
func (c *control) until(t *testing.T, namespace, name, what string, cond func(*corev1.Pod) bool) *corev1.Pod {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	lw := cache.NewListWatchFromClient(c.CoreV1().RESTClient(), "pods", namespace, fields.OneTermEqualSelector("metadata.name", name))
	var last *corev1.Pod
	_, err := watchtools.UntilWithSync(ctx, lw, &corev1.Pod{}, func(s cache.Store) (bool, error) {
		if len(s.List()) == 0 {
			return cond(nil), nil
		}
		return false, nil
	}, func(e watch.Event) (bool, error) {
		pod, _ := e.Object.(*corev1.Pod)
		if e.Type == watch.Deleted {
			pod = nil
		}
		last = pod
		return cond(pod), nil
	})
	if err != nil {
		var status any
		if last != nil {
			status = last.Status
		}
		if p, err := c.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{}); err == nil {
			t.Logf("the API says: %+v", p.Status.Conditions)
		}
		events, _ := c.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{})
		for _, e := range events.Items {
			t.Logf("event: %s %s: %s", e.InvolvedObject.Name, e.Reason, e.Message)
		}
		t.Fatalf("pod %s/%s: waiting until it is %s: %v; its status: %+v", namespace, name, what, err, status)
	}
	return last
}

// event watches until there is an event with a reason.
func (c *control) event(t *testing.T, namespace, reason string) *corev1.Event {
	t.Helper()
	return c.eventOf(t, namespace, reason, "")
}

// eventOf waits for an event about an object of that name; "" is any.
func (c *control) eventOf(t *testing.T, namespace, reason, name string) *corev1.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	lw := cache.NewListWatchFromClient(c.CoreV1().RESTClient(), "events", namespace, fields.OneTermEqualSelector("reason", reason))
	e, err := watchtools.UntilWithSync(ctx, lw, &corev1.Event{}, nil, func(e watch.Event) (bool, error) {
		event, is := e.Object.(*corev1.Event)
		return e.Type == watch.Added && is && (name == "" || event.InvolvedObject.Name == name), nil
	})
	if err != nil {
		t.Fatalf("wait for an event %s %s: %v", reason, name, err)
	}
	return e.Object.(*corev1.Event)
}

func ready(pod *corev1.Pod) bool { return condition(pod, corev1.PodReady) }

func condition(pod *corev1.Pod, typ corev1.PodConditionType) bool {
	if pod == nil {
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == typ {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func gone(pod *corev1.Pod) bool { return pod == nil }

// exec runs a command in a container, through API server and kubelet.
func (c *control) exec(t *testing.T, namespace, pod, container string, command ...string) (stdout string, err error) {
	t.Helper()
	url := c.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Container: container, Command: command, Stdout: true, Stderr: true}, scheme.ParameterCodec).URL()
	executor, err := remotecommand.NewWebSocketExecutor(c.config, "GET", url.String())
	if err != nil {
		return "", err
	}
	var out, errOut bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err = executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: &out, Stderr: &errOut})
	if err != nil {
		err = fmt.Errorf("%w (stderr: %s)", err, errOut.String())
	}
	return out.String(), err
}

// find returns the files of all nodes whose path ends in suffix.
func (c *control) find(t *testing.T, suffix string) []string {
	t.Helper()
	var hits []string
	err := filepath.WalkDir(c.dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, suffix) {
			hits = append(hits, path)
		}
		return nil // nodes are running: files come and go
	})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

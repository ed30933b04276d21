package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/program"
)

// NodesDir is where a cluster whose directory is dir has the files of its in-tab nodes, a directory each.
func NodesDir(dir string) string { return path.Join(dir, "nodes") }

// FileAttributes are whose a file below NodesDir is to the programs of its node, and its mode there.
func (c *Cluster) FileAttributes(file string, info fs.FileInfo) program.Attributes {
	below, err := filepath.Rel(c.path("nodes"), file)
	name, _, _ := strings.Cut(filepath.ToSlash(below), "/")
	c.nodes.mu.Lock()
	n := c.nodes.running[name]
	c.nodes.mu.Unlock()
	if err != nil || n == nil {
		return nodefs.OnDisk(info)
	}
	return n.disk.Attributes(file, info)
}

// passing are the files below NodesDir that need not outlive the cluster's process: what is in memory on
// other machines, what each start makes anew, and what nobody can reach any more.
var passing = []string{
	"*/tmp",
	"*/etc/kubernetes",
	"*/var/lib/containerd/images/shared",
	"*/var/lib/containerd/containers/*/rootfs",
	"*/var/lib/containerd/containers/*/volumes",
	"*/var/lib/containerd/sandboxes/*/etc",
	// The kubelet's own: keys, checkpoints of what it admitted, plugins' sockets.
	"*/var/lib/kubelet/[^p]*",
	"*/var/lib/kubelet/p[^o]*",
	"*/var/lib/kubelet/pods/*/volumes/kubernetes.io~secret",
	"*/var/lib/kubelet/pods/*/volumes/kubernetes.io~projected",
	"*/var/lib/kubelet/pods/*/volumes/kubernetes.io~configmap",
	"*/var/lib/kubelet/pods/*/volumes/kubernetes.io~downward-api",
	"*/var/lib/kubelet/pods/*/volumes/kubernetes.io~local-volume", // a link to where it lies
}

// PassingFile says that a path below NodesDir need not be kept.
func PassingFile(name string) bool { return matches(passing, name) }

// LogFile says that a path below NodesDir is a container's log.
func LogFile(name string) bool { return matches([]string{"*/var/log/pods/*/*/*"}, name) }

func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}

// forgetNodesBut removes the files of nodes that are not among the names: a machine that is gone took its
// disk with it.
func (c *Cluster) forgetNodesBut(keep func(name string) bool) error {
	dirs, err := os.ReadDir(NodesDir(c.config.Dir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look for nodes that are gone: %w", err)
	}
	for _, dir := range dirs {
		if !keep(dir.Name()) {
			if err := os.RemoveAll(c.path("nodes", dir.Name())); err != nil {
				return fmt.Errorf("remove the files of %s, which is gone: %w", dir.Name(), err)
			}
		}
	}
	return nil
}

// TellOfNodes makes an event of each in-tab node, a Warning or not; of the default namespace if there is none.
func (c *Cluster) TellOfNodes(ctx context.Context, warning bool, reason, message string) error {
	client, err := kubernetes.NewForConfig(c.PageConfig())
	if err != nil {
		return fmt.Errorf("tell of the nodes: %w", err)
	}
	kind := corev1.EventTypeNormal
	if warning {
		kind = corev1.EventTypeWarning
	}
	var of []corev1.ObjectReference
	for _, n := range c.Nodes() {
		of = append(of, corev1.ObjectReference{Kind: "Node", Name: n.Name, UID: types.UID(n.Name), APIVersion: "v1"})
	}
	if len(of) == 0 {
		of = append(of, corev1.ObjectReference{Kind: "Namespace", Name: metav1.NamespaceDefault, APIVersion: "v1"})
	}
	var errs []error
	for _, object := range of {
		now := metav1.NewTime(time.Now())
		_, err := client.CoreV1().Events(metav1.NamespaceDefault).Create(ctx, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{GenerateName: object.Name + "-", Namespace: metav1.NamespaceDefault},
			InvolvedObject: object,
			Reason:         reason, Message: message, Type: kind, Count: 1, FirstTimestamp: now, LastTimestamp: now,
			Source: corev1.EventSource{Component: "tabernetes", Host: object.Name},
		}, metav1.CreateOptions{})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

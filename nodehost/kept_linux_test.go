package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	certutil "k8s.io/client-go/util/cert"

	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/nodehost/nodetest"
	"github.com/tabernetes/tabernetes/scripts/etcdtest"
)

// kept is a native cluster of the test's own, in directories of its own.
type kept struct {
	t    *testing.T
	dir  string
	data string
	// clients is the address for clients, the same for each start.
	clients string
	running *served
}

func newKept(t *testing.T) *kept {
	t.Helper()
	dir := t.TempDir()
	k := &kept{t: t, dir: dir, data: filepath.Join(dir, "data"), clients: "127.0.0.1:0"}
	t.Cleanup(k.kill)
	return k
}

func (k *kept) kubeconfig() string { return filepath.Join(k.dir, "kubeconfig") }

func (k *kept) start(flags ...string) error {
	var err error
	k.running, err = serveNative(k.dir, filepath.Join(k.dir, "state"), k.kubeconfig(), append([]string{"--data-dir", k.data, "--clients", k.clients}, flags...)...)
	return err
}

func (k *kept) mustStart(flags ...string) {
	k.t.Helper()
	if err := k.start(flags...); err != nil {
		k.t.Fatal(err)
	}
	k.running.keep = true
	k.clients = strings.TrimPrefix(k.config(k.kubeconfig()).Host, "https://")
}

// kill is SIGKILL for the program and all that it started.
func (k *kept) kill() {
	if k.running == nil {
		return
	}
	all := nodetest.Descendants(k.running.cmd.Process.Pid)
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-k.running.ended
	for _, pid := range all {
		for !nodetest.Ended(pid) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	k.running = nil
}

func (k *kept) config(kubeconfig string) *rest.Config {
	k.t.Helper()
	c, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		k.t.Fatal(err)
	}
	return c
}

// kubectl runs a shell line with a kubeconfig.
func (k *kept) kubectl(kubeconfig, line string) string {
	k.t.Helper()
	out, err := tryKubectl(k.t.Context(), outside.kubectls["of the same version"], "export KUBECONFIG="+kubeconfig+"; "+line, "")
	if err != nil {
		k.t.Fatalf("$ %s\n%v\n%s", line, err, out)
	}
	return out
}

// store runs `nodehost store` on the data directory.
func (k *kept) store(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(k.t.Context(), longEnough)
	defer cancel()
	out, err := exec.CommandContext(ctx, outside.nodehost, append([]string{"store", "--data-dir", k.data}, args...)...).CombinedOutput()
	return string(out), err
}

// TestKeptCluster kills a cluster and starts it again: it is the same one to those who knew it.
// Then its file is damaged.
func TestKeptCluster(t *testing.T) {
	k := newKept(t)
	k.mustStart("--nodes=4") // more than the network of tests has addresses for
	old := filepath.Join(k.dir, "old")
	text, err := os.ReadFile(k.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, text, 0o600); err != nil {
		t.Fatal(err)
	}
	k.kubectl(old, "kubectl create deployment web --image=nginx --replicas=2 && kubectl rollout status deployment/web --timeout=100s")
	token := strings.TrimSpace(k.kubectl(old, "kubectl create token default"))
	uids := k.kubectl(old, "kubectl get pods,nodes,deployment -o jsonpath='{.items[*].metadata.uid}'")
	// The last acknowledged one, right before the end.
	k.kubectl(old, "kubectl create configmap last --from-literal=a=b")
	k.kill()

	k.mustStart("--nodes=4")
	before, after := k.config(old), k.config(k.kubeconfig())
	if !bytes.Equal(before.CAData, after.CAData) {
		t.Error("the CA is another one")
	}
	if got := k.kubectl(old, "kubectl get configmap last -o jsonpath='{.data.a}'"); got != "b" {
		t.Errorf("the last write is gone: %q", got)
	}
	if got := k.kubectl(old, "kubectl get pods,nodes,deployment -o jsonpath='{.items[*].metadata.uid}'"); got != uids {
		t.Errorf("before %s\nafter  %s", uids, got)
	}
	bearer := rest.AnonymousClientConfig(before)
	bearer.BearerToken = token
	client, err := kubernetes.NewForConfig(bearer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Discovery().RESTClient().Get().AbsPath("/api").DoRaw(t.Context()); err != nil {
		t.Errorf("a service account's token from before: %v", err)
	}
	// Containers ended with their process; the kubelets start them again, in the same pods.
	k.kubectl(old, `for pod in $(kubectl get pods -o name); do
		until kubectl exec $pod -- true; do sleep 1; done
	done`)
	k.kubectl(old, "kubectl scale deployment web --replicas=3 && kubectl rollout status deployment/web --timeout=100s")
	if err := k.running.stop(); err != nil {
		t.Error(err)
	}
	k.running = nil

	k.damage()
	err = k.start()
	where := regexp.MustCompile(`journal-\d+ is damaged at byte (\d+): .*Run: nodehost store repair --data-dir ` + regexp.QuoteMeta(k.data))
	if err == nil || !where.MatchString(err.Error()) {
		t.Fatalf("started on a damaged store, or without saying how to go on: %v", err)
	}
	if out, err := k.store("verify"); err == nil || !where.MatchString(out) {
		t.Errorf("verify: %v\n%s", err, out)
	}
	if out, err := k.store("repair"); err != nil || !regexp.MustCompile(`(?s)copied to \S+store\.damaged-1\n.*taken away: \d+ bytes.*kept: revision \d+`).MatchString(out) {
		t.Fatalf("repair: %v\n%s", err, out)
	}
	k.mustStart("--nodes=4")
	if got := k.kubectl(old, "kubectl get configmap last -o jsonpath='{.data.a}'"); got != "b" {
		t.Errorf("what was before the damage is gone: %q", got)
	}
}

// damage flips one bit of the last revision that scaled the deployment.
func (k *kept) damage() {
	k.t.Helper()
	journals, err := filepath.Glob(filepath.Join(k.data, "store", "journal-*"))
	if err != nil || len(journals) == 0 {
		k.t.Fatal("no journal", err)
	}
	file := journals[len(journals)-1]
	data, err := os.ReadFile(file)
	if err != nil {
		k.t.Fatal(err)
	}
	at := bytes.LastIndex(data, []byte("/registry/deployments/default/web"))
	if at < 0 {
		k.t.Fatal("the deployment is not in the journal")
	}
	data[at+50] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		k.t.Fatal(err)
	}
}

// TestOnARealEtcd moves a cluster from its own store to an etcd, with TLS, and back.
func TestOnARealEtcd(t *testing.T) {
	k := newKept(t)
	k.mustStart("--nodes=0")
	k.kubectl(k.kubeconfig(), "kubectl create configmap moved --from-literal=a=b")
	if err := k.running.stop(); err != nil {
		t.Error(err)
	}
	k.running = nil
	snapshot := filepath.Join(k.dir, "snapshot.db")
	if out, err := k.store("export", snapshot); err != nil {
		t.Fatalf("export: %v\n%s", err, out)
	}
	if err := etcdtest.Restore(snapshot, filepath.Join(k.dir, "etcd")); err != nil {
		t.Fatal(err)
	}
	tls := etcdCertificates(t)
	etcd, err := etcdtest.Start(etcdtest.Options{Dir: filepath.Join(k.dir, "etcd"), TLS: tls})
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Close()
	k.mustStart("--nodes=0", "--etcd-servers="+etcd.URL, "--etcd-cafile="+tls.CA, "--etcd-certfile="+tls.ClientCert, "--etcd-keyfile="+tls.ClientKey)
	client, err := kubernetes.NewForConfig(k.config(k.kubeconfig()))
	if err != nil {
		t.Fatal(err)
	}
	moved, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "moved", metav1.GetOptions{})
	if err != nil || moved.Data["a"] != "b" {
		t.Fatalf("%v, %v", moved, err)
	}
	k.kubectl(k.kubeconfig(), "kubectl create configmap new")
	direct, err := etcd.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	if got, err := direct.Client.Get(t.Context(), "/registry/configmaps/default/new"); err != nil || len(got.Kvs) != 1 {
		t.Errorf("in the etcd: %v, %v", got, err)
	}
	if err := errors.Join(k.running.stop()); err != nil {
		t.Error(err)
	}
	k.running = nil

	// And back, from the database that the etcd leaves.
	etcd.Close()
	if err := os.RemoveAll(filepath.Join(k.data, "store")); err != nil {
		t.Fatal(err)
	}
	if out, err := k.store("import", filepath.Join(k.dir, "etcd", "member", "snap", "db")); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	k.mustStart("--nodes=0")
	k.kubectl(k.kubeconfig(), "kubectl get configmap moved new")
}

// etcdCertificates are those of an etcd as people run it, and of its client.
func etcdCertificates(t *testing.T) *etcdtest.TLS {
	t.Helper()
	ca, err := pki.NewAuthority("etcd-ca")
	if err != nil {
		t.Fatal(err)
	}
	server, err := ca.Server("etcd", nil, certutil.AltNames{IPs: []net.IP{net.IPv4(127, 0, 0, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := ca.Client("kube-apiserver-etcd-client")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, pem []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return &etcdtest.TLS{
		CA:   file("ca.crt", ca.CertPEM()),
		Cert: file("server.crt", server.Cert), Key: file("server.key", server.Key),
		ClientCert: file("client.crt", client.Cert), ClientKey: file("client.key", client.Key),
	}
}

func TestServeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"a store without a cluster":  {[]string{"--data-dir=x"}, "add --control-plane=native"},
		"an etcd without keys":       {[]string{"--control-plane=native", "--etcd-servers=http://127.0.0.1:2379"}, "add --data-dir"},
		"an etcd without a port":     {[]string{"--control-plane=native", "--data-dir=" + t.TempDir(), "--etcd-servers=http://127.0.0.1"}, "the port is missing"},
		"an etcd that is no address": {[]string{"--control-plane=native", "--data-dir=" + t.TempDir(), "--etcd-servers=127.0.0.1:2379"}, "want http://HOST:PORT"},
		"an unknown policy":          {[]string{"--control-plane=native", "--data-dir=" + t.TempDir(), "--store-sync=maybe"}, "always, interval or never"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), longEnough)
			defer cancel()
			cmd := exec.CommandContext(ctx, outside.nodehost, append([]string{"serve", "--state", t.TempDir(), "--listen=127.0.0.1:0", "--clients=127.0.0.1:0",
				"--kubeconfig", filepath.Join(t.TempDir(), "k")}, c.flags...)...)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

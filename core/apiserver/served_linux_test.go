package apiserver

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/tabernetes/tabernetes/core/egress"
	"github.com/tabernetes/tabernetes/core/kubeconfig"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/store"
)

// podNamed is one that is complete enough to be made.
func podNamed(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "pause"}}}}
}

// served runs the server that by says (see assembled) until the test ends, and is a client of its owner. Pods can be
// made in it.
func served(t testing.TB, by string) kubernetes.Interface {
	t.Helper()
	s, err := store.Open(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	uninstall := store.Install(s)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	keys, files, err := pki.Open(t.TempDir()+"/pki", pki.Options{ServerIPs: []net.IP{net.IPv4(127, 0, 0, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{
		Listener: l, AdvertiseIP: net.IPv4(192, 0, 2, 1), ServiceCIDR: "10.96.0.0/16", EtcdServers: s.Endpoint(),
		Keys: files, Egress: egress.NewRouter(), Audit: NewAuditRing(1 << 20),
	}
	if by == "initializers" {
		o.ExtraArgs = []string{"--enable-admission-plugins=Initializers"}
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		uninstall()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	run := running
	if by == "upstream" {
		run = runningUpstream
	}
	go func() { stopped <- run(ctx, o) }()
	admin, err := keys.Admin()
	if err != nil {
		t.Fatal(err)
	}
	config := kubeconfig.Cluster{Server: "https://" + l.Addr().String(), CA: keys.CA.CertPEM()}.RESTConfig(admin)
	config.QPS, config.ContentType = -1, "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		select {
		case err := <-stopped:
			stopped <- nil
			return false, fmt.Errorf("the server has ended: %w", err)
		default:
		}
		if client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() != nil {
			return false, nil
		}
		// Nobody else makes it; plugins learn of it by informers of their own.
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
		_, _ = client.CoreV1().ServiceAccounts("default").Create(ctx, account, metav1.CreateOptions{})
		_, err := client.CoreV1().Pods("default").Create(ctx, podNamed("first"), metav1.CreateOptions{})
		return err == nil || apierrors.IsAlreadyExists(err), nil
	}); err != nil {
		t.Fatal(err)
	}
	return client
}

// running runs the server as a cluster does.
func running(ctx context.Context, o *Options) error {
	config, err := o.Config(ctx)
	if err != nil {
		return err
	}
	completed, err := config.Complete()
	if err != nil {
		return err
	}
	server, err := completed.New(ctx)
	if err != nil {
		return err
	}
	return server.Run(ctx)
}

// runningUpstream runs what upstream's command would with the same flags (cmd/kube-apiserver/app.Run).
func runningUpstream(ctx context.Context, o *Options) error {
	s := options.NewServerRunOptions()
	fs := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, f := range s.Flags().FlagSets {
		fs.AddFlagSet(f)
	}
	if err := fs.Parse(o.Args()); err != nil {
		return err
	}
	s.SecureServing.Listener = o.Listener
	if err := s.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	if err := logsapi.ValidateAndApply(s.Logs, nil); err != nil {
		return err
	}
	opts, err := validated(ctx, s)
	if err != nil {
		return err
	}
	config, err := app.NewConfig(opts)
	if err != nil {
		return err
	}
	completed, err := config.Complete()
	if err != nil {
		return err
	}
	chain, err := app.CreateServerChain(completed)
	if err != nil {
		return err
	}
	prepared, err := chain.PrepareRun()
	if err != nil {
		return err
	}
	return prepared.Run(ctx)
}

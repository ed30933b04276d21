package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/sample-apiserver/pkg/cmd/server"

	"github.com/tabernetes/tabernetes/core/beside"
	"github.com/tabernetes/tabernetes/core/program"
)

// sampleFlags are the flags that reach nothing but the pod.
var sampleFlags = []string{
	"audit-log-maxage", "audit-log-maxbackup", "audit-log-path", "authentication-skip-lookup", "authentication-tolerate-lookup-failure",
	"authorization-always-allow-paths", "bind-address", "enable-priority-and-fairness", "etcd-prefix", "etcd-servers",
	"max-mutating-requests-inflight", "max-requests-inflight", "secure-port", "tls-cert-file", "tls-min-version", "tls-private-key-file", "v", "watch-cache",
}

// webhooks are the plugins that would dial past the pod's network.
var webhooks = []string{"MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"}

var errEtcdLost = errors.New("the etcd of --etcd-servers has ended, and with it what it held")

// sampleAPIServer is upstream's sample-apiserver, which serves flunders and fischers of wardle.example.com.
func sampleAPIServer(ctx context.Context, p *program.Process) int {
	return untilTold(ctx, p, func(ctx context.Context) error {
		h, err := newHome(p, "sample-apiserver")
		if err != nil {
			return err
		}
		defer h.Close()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if err := h.serveSample(ctx, cancel); err != nil {
			return err
		}
		if errors.Is(context.Cause(ctx), errEtcdLost) {
			return errEtcdLost
		}
		return nil
	})
}

func (h *home) serveSample(ctx context.Context, cancel context.CancelCauseFunc) error {
	o := server.NewWardleServerOptions(h.p.Stdout, h.p.Stderr)
	var err error
	if o.ComponentGlobalsRegistry, err = beside.Gates(); err != nil {
		return err
	}
	// As upstream's integration tests do, which run it in one process with a kube-apiserver.
	cmd := server.NewCommandStartWardleServer(ctx, o, true)
	cmd.Flags().IntP("v", "v", 0, "taken, and without effect: the process's verbosity is the cluster's")
	cmd.SetArgs(append([]string{}, h.p.Args[1:]...))
	cmd.SetOut(h.p.Stdout)
	cmd.SetErr(h.p.Stderr)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := beside.OnlyFlags(cmd.Flags(), sampleFlags); err != nil {
			return err
		}
		return h.completeSample(ctx, cancel, o)
	}
	return cmd.Execute()
}

// completeSample gives the options, as they were parsed, the pod's files, network and store.
func (h *home) completeSample(ctx context.Context, cancel context.CancelCauseFunc, o *server.WardleServerOptions) error {
	r := o.RecommendedOptions
	if file := r.Audit.LogOptions.Path; file != "" && file != "-" {
		return fmt.Errorf("--audit-log-path=%q: without a policy nothing is written, and there is none here; leave it out", file)
	}
	serving := r.SecureServing.SecureServingOptions
	files := &serving.ServerCert.CertKey
	if files.CertFile != "" || files.KeyFile != "" {
		if err := h.copyCert(files.CertFile, files.KeyFile); err != nil {
			return fmt.Errorf("read the serving certificate: %w", err)
		}
	}
	files.CertFile, files.KeyFile = h.cert, h.key
	r.Authentication.RemoteKubeConfigFile, r.Authorization.RemoteKubeConfigFile = h.kubeconfig, h.kubeconfig
	r.CoreAPI.CoreAPIKubeconfigPath = h.kubeconfig
	r.Admission.DisablePlugins = append(r.Admission.DisablePlugins, webhooks...)
	r.Features.EnableProfiling = false // of the whole process

	transport := &r.Etcd.StorageConfig.Transport
	s, lost, err := dialStore(ctx, h.p, transport.ServerList)
	if err != nil {
		return err
	}
	go func() {
		select {
		case <-lost:
			cancel(errEtcdLost)
		case <-ctx.Done():
		}
	}()
	transport.ServerList = []string{s.Endpoint()}
	at := net.JoinHostPort(serving.BindAddress.String(), strconv.Itoa(serving.BindPort))
	l, err := h.p.Net.Listen(ctx, "tcp", at)
	if err != nil {
		return fmt.Errorf("failed to create listener: %w", err)
	}
	serving.Listener = beside.Hold(l)
	fmt.Fprintf(h.p.Stderr, "Serving securely on %s. Further messages of its libraries are in the cluster's own log: they know no container.\n", serving.Listener.Addr())
	return nil
}

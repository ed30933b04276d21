package token

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Options of `nodehost token`.
type Options struct {
	// Kubeconfig is a file; empty is as kubectl finds it.
	Kubeconfig string
	// Hub is the hub's URL as the machine that joins sees it, Cluster the cluster's name there; an
	// empty name is the one that the kubeconfig asks for.
	Hub, Cluster string
	// CertHash is the pin of the hub's certificate, for the line; empty if there is none.
	CertHash string
	TTL      time.Duration
	// Out gets the line.
	Out io.Writer
}

// Create makes a token and prints the line to copy, and nothing else.
func Create(ctx context.Context, o Options) error {
	config, err := o.owner()
	if err != nil {
		return err
	}
	if o.Cluster == "" {
		name, ok := strings.CutSuffix(config.TLSClientConfig.ServerName, "."+tunnel.Domain)
		if !ok {
			return errors.New("the kubeconfig does not say what the cluster is called at the hub; name it with --cluster")
		}
		o.Cluster = name
	}
	i, err := inviteQuietly(ctx, config, o.TTL)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.Out, i.Line(o.Hub, o.CertHash, o.Cluster))
	return err
}

// inviteQuietly keeps standard output for the line: kubeadm's phases print what they do.
func inviteQuietly(ctx context.Context, config *rest.Config, ttl time.Duration) (bootstrap.Invitation, error) {
	out := os.Stdout
	os.Stdout = os.Stderr
	defer func() { os.Stdout = out }()
	return bootstrap.Invite(ctx, config, ttl)
}

// Delete withdraws a token.
func Delete(ctx context.Context, o Options, token string) error {
	config, err := o.owner()
	if err != nil {
		return err
	}
	return bootstrap.Withdraw(ctx, config, token)
}

// owner is the client configuration, with the CA in it.
func (o Options) owner() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w; get one with `nodehost kubeconfig`", err)
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	return config, nil
}

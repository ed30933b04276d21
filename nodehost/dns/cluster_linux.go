package dns

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/kubernetes"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// stanza is the plugin's part of the Corefile that kubeadm installs.
const stanza = `kubernetes %s in-addr.arpa ip6.arpa {
	pods insecure
	fallthrough in-addr.arpa ip6.arpa
	ttl 5
	startup_timeout 1s
}`

// clusterZone is CoreDNS' plugin for the cluster's names.
type clusterZone struct {
	plugin *kubernetes.Kubernetes
	start  func() error // waits a second for the API server
	stop   func() error
}

func newClusterZone(o Options) (*clusterZone, error) {
	c := &caddy.Controller{Dispenser: caddyfile.NewDispenser("tabernetes", strings.NewReader(fmt.Sprintf(stanza, o.Domain)))}
	c.Next()
	k, err := kubernetes.ParseStanza(c)
	if err != nil {
		return nil, fmt.Errorf("name server: %w", err)
	}
	config := rest.CopyConfig(o.Client)
	config.ContentType = runtime.ContentTypeProtobuf
	config.UserAgent = "tabernetes-dns"
	k.ClientConfig = fixed{config}
	z := &clusterZone{plugin: k}
	if z.start, z.stop, err = k.InitKubeCache(context.Background()); err != nil {
		return nil, fmt.Errorf("name server: %w", err)
	}
	return z, nil
}

func (z *clusterZone) handler(next plugin.Handler) plugin.Handler {
	z.plugin.Next = next
	return z.plugin
}

// run keeps the plugin's memory until ctx is done; synced is called when it is first filled.
func (z *clusterZone) run(ctx context.Context, synced func()) error {
	if err := z.start(); err != nil {
		return err
	}
	// The plugin has no channel for it.
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !z.plugin.APIConn.HasSynced() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return z.stop()
		}
	}
	synced()
	<-ctx.Done()
	return z.stop()
}

// fixed is a client configuration that is there already.
type fixed struct{ config *rest.Config }

var _ clientcmd.ClientConfig = fixed{}

func (f fixed) ClientConfig() (*rest.Config, error)     { return f.config, nil }
func (f fixed) RawConfig() (clientcmdapi.Config, error) { return clientcmdapi.Config{}, nil }
func (f fixed) Namespace() (string, bool, error)        { return "", false, nil }
func (f fixed) ConfigAccess() clientcmd.ConfigAccess    { return nil }

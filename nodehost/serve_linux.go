package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/nodehost/pairing"
	"github.com/tabernetes/tabernetes/nodehost/serve"
)

func serveCommand(find func() (pairing.State, error)) *cobra.Command {
	o := serve.Options{}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the page and be the hub",
		Long: `Serves the page and is the hub: tabs that are opened by the printed address attach to it, and
kubectl and other clients reach them through it. See "nodehost kubeconfig".

With --control-plane=native a cluster runs beside it without a browser. It is gone when it ends,
unless --data-dir says where it is kept, or --etcd-servers names an etcd to keep it in (its keys
still are in --data-dir). See "nodehost store" for what else can be done with what is kept.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.State, err = find(); err != nil {
				return err
			}
			o.Log, o.Out = logger("serve"), os.Stdout
			if out, err := os.Stdout.Stat(); err == nil && out.Mode()&os.ModeCharDevice != 0 {
				o.ShowSecret = true // somebody at a terminal reads it, and nothing keeps it
			}
			if o.Program, err = os.Executable(); err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			return serve.Run(cmd.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:8080", "address of the page and the hub; port 0 takes a free one")
	f.StringVar(&o.Clients, "clients", "127.0.0.1:7443", "address for kubectl and other clients of clusters")
	f.StringVar(&o.ClusterPorts, "cluster-ports", "", "`FIRST-LAST` ports, of which each cluster gets one for clients that say no server name; \"0\" takes free ones")
	f.StringVar((*string)(&o.TLS), "tls", string(serve.TLSAuto), "TLS of the page and the hub: auto (on, unless --listen is an address of loopback), on, or off (whoever is on the way reads the pairing secret)")
	f.StringVar(&o.TLSCert, "tls-cert", "", "certificate of the page and the hub, with its chain, PEM; read again when it is renewed (default: one that the hub makes and keeps)")
	f.StringVar(&o.TLSKey, "tls-key", "", "its key, PEM")
	f.StringSliceVar(&o.Site, "site", []string{"out/site"}, "directories with the built page")
	f.StringSliceVar(&o.Hosts, "host", nil, "further `HOST:PORT` by which browsers reach this hub")
	f.StringSliceVar(&o.Origins, "origin", nil, "further origins whose pages may attach a cluster")
	f.StringSliceVar(&o.Outside, "outside", nil, "`HOST:PORT` of a webhook or an issuer that is in no cluster, to which API servers of clusters on this hub are led if their configuration names it, too; may be repeated. A name is resolved once, now, and has to be on the Internet")
	f.BoolVar(&o.ShowSecret, "print-secret", false, "print the page's address with the pairing secret in it also where standard output is no terminal")
	f.StringVar(&o.ControlPlane, "control-plane", "", "\"native\" runs a cluster without a browser")
	f.StringVar(&o.Name, "name", "native", "name of the native cluster")
	f.IntVar(&o.Nodes, "nodes", 3, "in-tab nodes of the native cluster")
	f.BoolVar(&o.RefuseImages, "refuse-images", false, "images that in-tab nodes do not have fail to pull; otherwise a stand-in runs in their place, and says so")
	f.StringVarP(&o.DataDir, "data-dir", "d", "", "directory in which the native cluster is kept, and from which it goes on: its store, its keys (default: a temporary one)")
	f.StringVar(&o.ConfigDir, "config-dir", "", "directory with the native cluster's configuration in upstream's forms (authentication.yaml, authorization.yaml, admission.yaml, audit.yaml, encryption.yaml, scheduler.yaml, tokens.csv, abac.jsonl, kube-apiserver.flags, …: docs/configuration.md); SIGHUP reads it again (default: what was kept in --data-dir)")
	f.StringVar(&o.StoreSync, "store-sync", "always", "when the native cluster's store is on disk: always (before a write is acknowledged), interval (at most 100 ms later) or never (when the kernel likes); a kill loses nothing with any")
	o.Etcd.AddFlags(f)
	f.StringVar(&o.Kubeconfig, "kubeconfig", "out/kubeconfig", "where the native cluster's kubeconfig is written")
	f.BoolVar(&o.Grant, "grant", false, "the native cluster gives access to whoever has the pairing secret")
	return c
}

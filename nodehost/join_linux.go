package main

import (
	"os"

	"github.com/spf13/cobra"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/tabernetes/tabernetes/nodehost/join"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/preflight"
)

func joinCommand() *cobra.Command {
	o := join.Options{Out: os.Stdout}
	c := &cobra.Command{
		Use:   "join [URL]",
		Short: "Make this machine a node of a cluster, and keep it one",
		Long: `Makes this machine a node of the cluster behind the hub at URL, and runs until it is stopped; containers
go on after that. The whole line comes from the page, or from "nodehost token create".

Without URL it goes on as the node that the machine is, with what it joined with. "nodehost leave" takes
the node off again.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Hub = args[0]
			}
			if o.Token != "" {
				return join.HideToken(os.Args, o.Token) // and come back here
			}
			join.ShowName()
			o.Log = logger("join")
			return join.Run(cmd.Context(), o)
		},
	}
	f := c.Flags()
	placeFlags(c, &o.Place)
	f.StringVar(&o.HubCertHash, "hub-cert-hash", "", "hash of the hub's own certificate, sha256:… (default: who signed it has to be trusted by this machine)")
	f.StringVar(&o.Cluster, "cluster", "", "name of the cluster at the hub (default: the only one)")
	f.StringVar(&o.Token, "token", "", "the token to join with; the process list does not keep it, but the shell's history does")
	f.StringVar(&o.TokenFile, "token-file", "", "file with the token; - is standard input")
	c.MarkFlagsMutuallyExclusive("token", "token-file")
	f.StringSliceVar(&o.CAHash, "ca-cert-hash", nil, "hash of the cluster CA's public key, sha256:…")
	f.StringVar(&o.Node, "node-name", "", "name of the node (default: the host's)")
	f.StringVar(&o.IP, "node-ip", "", "address by which other machines reach this one (default: the one that leads to the hub)")
	f.IntVar(&o.KubeletPort, "kubelet-port", join.DefaultKubeletPort, "port of the kubelet on loopback")
	f.StringVar(&o.CgroupRoot, "cgroup-root", join.DefaultCgroupRoot, "control group of the node")
	f.StringVar(&o.Settings.Endpoint, "cri-endpoint", "", "a container runtime that runs already, unix:///… (default: start containerd)")
	f.StringVar(&o.Settings.PauseImage, "pause-image", join.DefaultPauseImage, "image of sandboxes")
	f.StringVar(&o.Settings.CNIConfDir, "cni-conf-dir", "", "use the pods' network that is configured there (default: make one)")
	f.StringSliceVar(&o.Settings.CNIBinDirs, "cni-bin-dir", preflight.CNIBinDirs, "directories of CNI plugins")
	f.StringVar(&o.Settings.Overlay, "overlay", "", "ways to other machines: auto, vxlan (always), routes (never VXLAN) (default auto)")
	f.StringVar(&o.Settings.Proxy, "proxy-mode", "", "how Services are made: nftables or iptables (default: what the kernel has)")
	f.StringVar(&o.Settings.RegistryDir, "registry-dir", "", "directory with a hosts.toml for each registry: mirrors and CAs")
	f.StringToStringVar(&o.Settings.Labels, "node-labels", nil, "further labels of the node")
	f.Var(cliflag.NewLangleSeparatedMapStringString(&o.Settings.EvictionHard), "eviction-hard",
		"when the kubelet evicts pods, instead of upstream's: memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,imagefs.available<15%,imagefs.inodesFree<5%; can be changed by another join")
	f.StringVar(&o.Settings.KubeletConfig, "kubelet-config", "",
		"file with a KubeletConfiguration for what the node does not decide itself, read at each start; can be changed by another join, \"none\" is upstream's defaults again")
	f.BoolVar(&o.Settings.Mix, "mix", false, "take pods that do not tolerate real nodes, too")
	f.BoolVar(&o.Install, "install", false, "install what is missing")
	f.BoolVar(&o.Service, "service", false, "have systemd run the node, from now on and at each boot, and come back")
	return c
}

// placeFlags are those of every command that is about the machine's node.
func placeFlags(c *cobra.Command, p *nodedir.Place) {
	c.Flags().StringVar(&p.Dir, "dir", nodedir.Default.Dir, "directory of the node")
	c.Flags().StringVar(&p.Run, "run-dir", nodedir.Default.Run, "directory of what does not survive a boot")
}

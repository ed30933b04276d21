package join

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/core/wholefile"
	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/cri"
	"github.com/tabernetes/tabernetes/nodehost/discovery"
	"github.com/tabernetes/tabernetes/nodehost/kubelet"
	"github.com/tabernetes/tabernetes/nodehost/leave"
	"github.com/tabernetes/tabernetes/nodehost/network"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/preflight"
	"github.com/tabernetes/tabernetes/nodehost/steps"
	"github.com/tabernetes/tabernetes/nodehost/uplink"
)

const (
	// hubPatience is how long the hub may take to answer a machine that joins, runtimePatience the
	// container runtime to be ready.
	hubPatience     = 10 * time.Second
	runtimePatience = time.Minute
	// endPatience is how long the components may take to end; the kubelet does not.
	endPatience = 20 * time.Second
)

// node is a machine that is being, or has been, joined.
type node struct {
	Options
	state *nodedir.State
	// programs are those that root runs by itself from now on.
	programs programs
	ip       netip.Addr
	allowed  *uplink.AllowList
	link     *uplink.Link
	steps    steps.Teller
	group    *group.Group
}

// Run makes this machine a node, and keeps it one until ctx is done. Containers go on after that.
func Run(ctx context.Context, o Options) error {
	var err error
	if o.Place, err = o.Place.Absolute(); err != nil {
		return err
	}
	if o.Token, err = o.token(os.Stdin); err != nil {
		return err
	}
	release, err := o.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { release() }()
	n := &node{Options: o}
	if n.state, err = o.state(); err != nil {
		return err
	}
	if err := checkConfig(n.state.Settings.KubeletConfig); err != nil {
		return err
	}
	if n.ip, err = o.address(n.state.IP); err != nil {
		return err
	}
	n.state.IP = n.ip.String()
	if err := n.preflight(ctx); err != nil {
		return err
	}
	if n.programs, err = o.findPrograms(os.Executable); err != nil {
		return err
	}
	if o.Service {
		return n.service(ctx, &release)
	}
	ctx, n.group = group.New(ctx)
	if err := n.start(ctx); err != nil {
		n.group.End(err)
	}
	return n.group.WaitFor(endPatience)
}

// lock takes the place, and first completes a `nodehost leave` that was interrupted.
func (o *Options) lock(ctx context.Context) (release func(), err error) {
	switch err := o.Place.Check(); {
	case errors.Is(err, nodedir.ErrForeign):
		return nil, fmt.Errorf("join: %w; choose an empty directory", err)
	case errors.Is(err, nodedir.ErrElsewhere):
		return nil, fmt.Errorf("join: %w; name that one, or take the node off first: nodehost leave", err)
	case err != nil:
		return nil, fmt.Errorf("join: %w", err)
	}
	release, _, err = o.Place.Lock()
	if err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	s, err := o.Place.Load()
	if err != nil || !s.Leaving {
		return release, nil // whoever needs the state finds out what is wrong with it
	}
	o.Log.Info("an interrupted leave is completed first")
	err = leave.Clean(ctx, o.Place, s, o.Log)
	release() // its file has gone with the rest
	if err != nil {
		return nil, err
	}
	if release, _, err = o.Place.Lock(); err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	return release, nil
}

func (n *node) preflight(ctx context.Context) error {
	options := preflight.Options{
		Endpoint: n.state.Settings.Endpoint, CNIBinDirs: n.state.Settings.CNIBinDirs,
		CNIConfDir: n.state.Settings.CNIConfDir, Dir: n.Place.Dir,
		KubeletPort: n.state.KubeletPort, System: preflight.Machine(),
	}
	lacks := preflight.Check(options)
	if n.Install && len(lacks) > 0 {
		if err := options.System.Install(ctx, lacks, n.Out); err != nil {
			return err
		}
		lacks = preflight.Check(options)
	}
	return options.System.Explain(lacks)
}

// start starts everything; what fails later ends the group.
func (n *node) start(ctx context.Context) error {
	if err := n.join(ctx); err != nil {
		return err
	}
	if err := n.startRuntime(ctx); err != nil {
		return err
	}
	return n.startKubelet(ctx)
}

// join has the machine be the cluster's, which the kubelet needs a token for only.
func (n *node) join(ctx context.Context) error {
	if err := n.connect(ctx); err != nil {
		return err
	}
	forwarder, err := n.forward(ctx)
	if err != nil {
		return err
	}
	if !n.state.Joined {
		if err := n.discover(ctx, forwarder); err != nil {
			return err
		}
	}
	if err := n.programs.install(n.Place, n.Service || n.state.Service); err != nil {
		return err
	}
	return n.writeConfigs(forwarder)
}

// connect brings the tunnel up. A machine that joins needs it now; a node goes on without.
func (n *node) connect(ctx context.Context) error {
	n.allowed = &uplink.AllowList{Node: n.ip, KubeletPort: n.state.KubeletPort}
	away := &absent{log: n.Log.With("hub", n.state.Hub, "cluster", n.state.Cluster)}
	var err error
	n.link, err = uplink.New(uplink.Options{
		Hub: n.state.Hub, CertHash: n.state.HubCertHash, Cluster: n.state.Cluster, Instance: n.state.Instance,
		Allow: n.allowed.Allow, Steps: n.steps.Serve, Identity: n.identity(), OnState: tellState(n.Log), OnAnswer: away.tell, Log: n.Log,
	})
	if err != nil {
		return err
	}
	n.group.Go("tunnel to the hub", func() error { return n.link.Run(ctx) })
	if n.state.Joined {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, hubPatience)
	defer cancel()
	w, err := n.link.Up(waiting)
	if err != nil {
		return fmt.Errorf("the hub at %s cannot be used: %w; is `nodehost serve` running there, and its address reachable from this machine (--listen)? A hub that other machines reach speaks https, and the line from its page has its --hub-cert-hash", n.state.Hub, err)
	}
	n.state.Cluster, n.state.Seen = w.Name, w.Seen
	return nil
}

// forward serves the apiserver on loopback, on the same port as before if it is free.
func (n *node) forward(ctx context.Context) (address string, err error) {
	var ln net.Listener
	for _, port := range []int{n.state.Forwarder, 0} {
		if ln, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("listen for the node's own clients: %w", err)
	}
	n.state.Forwarder = ln.Addr().(*net.TCPAddr).Port
	n.group.Go("forwarder to the apiserver", func() error { return n.link.Forward(ctx, ln) })
	return ln.Addr().String(), nil
}

// discover asks the cluster, and from then on the machine is its.
func (n *node) discover(ctx context.Context, forwarder string) error {
	ca, err := discovery.Discover(ctx, discovery.Options{Endpoint: forwarder, Token: n.Token, CAHash: n.CAHash, Node: n.state.Node})
	if err != nil {
		return err
	}
	n.state.RememberSysctls()
	if n.state.BaseChains, err = network.BaseChains(ctx); err != nil {
		n.Log.Warn("what iptables has made is not known; it stays when the node leaves", "error", err)
	}
	return n.keep(ca, forwarder)
}

// keep puts onto the disk what the machine needs to be the cluster's. It is so from the last step on:
// whoever is killed before is to be given the whole line again, and leave knows of every file.
func (n *node) keep(ca []byte, forwarder string) error {
	if err := n.Place.Claim(n.state); err != nil {
		return err
	}
	kept("state")
	if err := wholefile.Write(n.Place.CA(), ca, 0o644); err != nil {
		return fmt.Errorf("keep the cluster's CA: %w", err)
	}
	kept("CA")
	if err := n.writeConfig(n.Place.Bootstrap(), forwarder, clientcmdapi.AuthInfo{Token: n.Token}); err != nil {
		return err
	}
	kept("token")
	n.state.Joined = true
	if err := n.Place.Save(n.state); err != nil {
		return err
	}
	kept("joined")
	n.Log.Info("the cluster knows the token, and its CA is the one that was named", "cluster", n.state.Cluster)
	return nil
}

// kept is told of each step of keep; tests end the process there.
var kept = func(step string) {}

// startRuntime starts containerd, or waits for the one that runs.
func (n *node) startRuntime(ctx context.Context) error {
	n.state.Endpoint, n.state.Own = n.state.Settings.Endpoint, n.state.Settings.Endpoint == ""
	root, err := cgroup.New(n.state.CgroupRoot)
	if err != nil {
		return err
	}
	if err := root.Add(-1); err != nil {
		return err
	}
	// What kubelet and containerd put outside of the node's own place, wherever that is.
	outside := kubelet.MachineDirs
	if n.state.Own {
		outside = append([]string{"/run/containerd/s", "/run/netns", "/var/lib/cni"}, outside...)
	}
	for _, dir := range outside {
		if err := n.Place.MakeOutside(n.state, dir); err != nil {
			return err
		}
	}
	if n.state.Own {
		c, err := n.containerd()
		if err != nil {
			return err
		}
		if err := c.Prepare(); err != nil {
			return err
		}
		n.state.Endpoint = c.Endpoint()
		n.group.Go("containerd", func() error { return c.Run(ctx) })
	}
	if err := n.Place.Save(n.state); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, runtimePatience)
	defer cancel()
	service, name, err := cri.Ready(waiting, n.state.Endpoint)
	if err != nil {
		return fmt.Errorf("%w; its log is in %s", err, n.Place.Logs())
	}
	sandboxes, err := service.ListPodSandbox(waiting, nil)
	if err == nil {
		var containers []*runtimeapi.Container
		containers, err = service.ListContainers(waiting, nil)
		n.steps.Known(sandboxes, containers)
	}
	_ = service.Close(ctx)
	if err != nil {
		return fmt.Errorf("list what the container runtime has: %w", err)
	}
	n.Log.Info("the container runtime is ready", "runtime", name, "endpoint", n.state.Endpoint)
	images, err := cri.ListenImages(n.state.Endpoint, n.Place.Images(), n.state.Settings.PauseImage, n.steps.Tap())
	if err != nil {
		return err
	}
	runtime, err := cri.ListenRuntime(n.state.Endpoint, cri.RuntimeSocket(n.Place.Run, n.state.Endpoint), n.steps.Tap())
	if err != nil {
		return err
	}
	n.group.Go("runtime", func() error { return runtime.Serve(ctx) })
	n.group.Go("images", func() error { return images.Serve(ctx) })
	return nil
}

func (n *node) containerd() (*cri.Containerd, error) {
	program, err := exec.LookPath("containerd")
	if err != nil {
		return nil, fmt.Errorf("find containerd: %w", err)
	}
	c, settings := leave.Containerd(n.Place, n.state, n.Log), n.state.Settings
	c.Program = program
	c.Config.PauseImage = settings.PauseImage
	if settings.CNIConfDir != "" {
		c.Config.CNIConfDir = settings.CNIConfDir
		dir, ok := preflight.Machine().CNIBinDir(settings.CNIBinDirs)
		if !ok && len(settings.CNIBinDirs) > 0 {
			dir = settings.CNIBinDirs[0] // where a network that is yet to come puts its plugins
		}
		c.Config.CNIBinDir = dir
	}
	if settings.RegistryDir != "" {
		c.Config.RegistryDir = settings.RegistryDir
	}
	return c, nil
}

// startKubelet starts the kubelet and what waits for its Node.
func (n *node) startKubelet(ctx context.Context) error {
	labels := map[string]string{wellknown.KindLabel: wellknown.Real}
	for k, v := range n.state.Settings.Labels {
		labels[k] = v
	}
	var taints []corev1.Taint
	if !n.state.Settings.Mix {
		taints = []corev1.Taint{{Key: wellknown.TaintKey, Value: wellknown.Real, Effect: corev1.TaintEffectNoSchedule}}
	}
	options := kubelet.Options{
		Dir: n.Place.Kubelet(), Bootstrap: n.Place.Bootstrap(), Kubeconfig: n.Place.Kubeconfig(), CAFile: n.Place.CA(),
		Name: n.state.Node, IP: n.ip, Port: n.state.KubeletPort, Labels: labels, Taints: taints,
		Endpoint: "unix://" + cri.RuntimeSocket(n.Place.Run, n.state.Endpoint), ImageEndpoint: "unix://" + n.Place.Images(), CgroupDriver: cgroup.Detect().Driver(), CgroupRoot: n.state.CgroupRoot,
		DNS: []netip.Addr{network.DNSAddress}, DNSDomain: "cluster.local", ResolvConf: resolvConf(),
		EvictionHard: n.state.Settings.EvictionHard, File: n.state.Settings.KubeletConfig,
	}
	n.group.Go("kubelet", func() error { return kubelet.Run(ctx, options) })
	n.group.Go("node", func() error { return n.follow(ctx) })
	return nil
}

// resolvConf is the file with the machine's real name servers.
func resolvConf() string {
	// systemd-resolved's stub is on loopback, where a pod has nothing.
	const real = "/run/systemd/resolve/resolv.conf"
	if _, err := os.Stat(real); err == nil {
		return real
	}
	return "/etc/resolv.conf"
}

package preflight

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/trusted"
)

// CNIBinDirs are where distributions have their plugins.
var CNIBinDirs = []string{"/opt/cni/bin", "/usr/lib/cni", "/usr/libexec/cni"}

// Options are what the node is going to be.
type Options struct {
	// Endpoint is a container runtime that runs already ("unix:///…"); empty has nodehost start
	// containerd.
	Endpoint string
	// CNIBinDirs are where plugins may be; CNIConfDir is a network that is there already, empty has
	// nodehost make one.
	CNIBinDirs []string
	CNIConfDir string
	// Dir is where images and containers are going to be.
	Dir string
	// KubeletPort is taken on loopback.
	KubeletPort int
	// System is the machine. Default Machine.
	System *System
}

// System is what is asked of a machine.
type System struct {
	UID         int
	LookPath    func(program string) (string, error)
	Exists      func(path string) bool
	ReadFile    func(path string) ([]byte, error)
	FreeBytes   func(path string) (uint64, error)
	PortFree    func(port int) bool
	Dials       func(socket string) error
	LoadModule  func(name string) error
	Controllers func() (map[string]bool, error)
	// Trusted fails if others can change a program that root is going to run.
	Trusted func(path string) error
}

// Machine is the one that this runs on.
func Machine() *System {
	return &System{
		UID:      os.Geteuid(),
		LookPath: exec.LookPath,
		Exists:   func(p string) bool { _, err := os.Stat(p); return err == nil },
		ReadFile: os.ReadFile,
		FreeBytes: func(p string) (uint64, error) {
			for ; ; p = filepath.Dir(p) {
				var st unix.Statfs_t
				err := unix.Statfs(p, &st)
				if err == nil {
					return st.Bavail * uint64(st.Bsize), nil
				}
				if !errors.Is(err, unix.ENOENT) || p == "/" {
					return 0, err
				}
			}
		},
		PortFree: func(port int) bool {
			ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				return false
			}
			_ = ln.Close()
			return true
		},
		Dials: func(socket string) error {
			c, err := net.Dial("unix", socket)
			if err != nil {
				return err
			}
			return c.Close()
		},
		LoadModule:  func(name string) error { return exec.Command("modprobe", name).Run() },
		Controllers: cgroup.Controllers,
		Trusted:     trusted.Check,
	}
}

// Lack is one thing that a node needs and the machine has not got.
type Lack struct {
	// What is missing, and Why it is needed.
	What, Why string
	// Packages bring it; Do is the command that brings it, if it is not packages, or what a person
	// has to do.
	Packages []string
	Do       string
}

// plugins are those that the node's network is made of.
var plugins = []string{"bridge", "host-local", "loopback", "portmap", "bandwidth"}

// besides are programs that root runs by their names where the machine has them: nodehost, kube-proxy and the
// portmap plugin the firewall's, nodehost modprobe and systemctl, the kubelet those for mounts and user
// namespaces. containerds are those that containerd runs.
var (
	besides = []string{
		"iptables-save", "iptables-restore", "ip6tables", "ip6tables-save", "ip6tables-restore", "nft",
		"modprobe", "systemctl", "systemd-run", "umount", "getsubids",
	}
	containerds = []string{"containerd-shim-runc-v2", "unpigz", "igzip", "apparmor_parser"}
)

// minFree is for images and a few containers, in bytes.
const minFree = 2 << 30

// CNIBinDir is the first of dirs that has every plugin.
func (s *System) CNIBinDir(dirs []string) (string, bool) {
	for _, dir := range dirs {
		has := true
		for _, p := range plugins {
			has = has && s.Exists(filepath.Join(dir, p))
		}
		if has {
			return dir, true
		}
	}
	return "", false
}

// Check returns all that is missing.
func Check(o Options) []Lack {
	s := o.System
	if s == nil {
		s = Machine()
	}
	if s.UID != 0 {
		return []Lack{{What: "root", Why: "containers, control groups and networks are made by root", Do: "run the same line with sudo"}}
	}
	var lacks []Lack
	need := func(ok bool, l Lack) {
		if !ok {
			lacks = append(lacks, l)
		}
	}
	others := map[string]bool{} // programs that others can change
	trust := func(name, path string) {
		if err := s.Trusted(path); err != nil {
			others[name] = true
			need(false, Lack{What: name + " that only root can change", Why: fmt.Sprint(err), Do: "install it as root, and take it out of the others' directory"})
		}
	}
	program := func(name, why string, packages ...string) {
		path, err := s.LookPath(name)
		need(err == nil, Lack{What: name, Why: why, Packages: packages})
		if err == nil {
			trust(name, path)
		}
	}
	maybe := func(names []string) {
		for _, name := range names {
			if path, err := s.LookPath(name); err == nil {
				trust(name, path)
			}
		}
	}
	lacks = append(lacks, o.controlGroups(s)...)
	if o.Endpoint == "" {
		program("containerd", "it runs the containers", "containerd")
		program("ctr", "images are imported with it", "containerd")
		program("runc", "containerd starts containers with it", "runc")
		maybe(containerds)
	} else {
		socket := strings.TrimPrefix(o.Endpoint, "unix://")
		err := s.Dials(socket)
		need(err == nil, Lack{What: "the container runtime at " + o.Endpoint, Why: fmt.Sprint(err), Do: "systemctl start containerd"})
	}
	if o.CNIConfDir == "" {
		dir, ok := s.CNIBinDir(o.CNIBinDirs)
		for _, p := range plugins {
			if err := s.Trusted(filepath.Join(dir, p)); ok && err != nil {
				need(false, Lack{What: "CNI plugins that only root can change", Why: err.Error(), Do: "chown -R root:root " + dir})
				break
			}
		}
		need(ok, Lack{
			What:     "the CNI plugins " + strings.Join(plugins, ", "),
			Why:      "pods get their network by them; looked for in " + strings.Join(o.CNIBinDirs, " and "),
			Packages: []string{"containernetworking-plugins"},
		})
	}
	program("iptables", "portmap publishes ports with it", "iptables")
	program("mount", "the kubelet mounts volumes with it", "mount")
	maybe(besides)
	loads := func(module string) bool { return !others["modprobe"] && s.LoadModule(module) == nil }
	for _, m := range []struct{ file, module, why string }{
		{"/sys/module/bridge", "bridge", "pods are on a bridge"},
		{"/proc/sys/net/bridge/bridge-nf-call-iptables", "br_netfilter", "Services lead to pods of the same machine by it"},
		{"/proc/sys/net/ipv4/ip_forward", "", "packets are forwarded between pods and hosts"},
	} {
		if !s.Exists(m.file) && (m.module == "" || !loads(m.module) && !s.Exists(m.file)) && !o.builtIn(s, m.module) {
			need(false, s.module("the kernel's "+filepath.Base(m.file), m.why, m.module))
		}
	}
	filesystems, _ := s.ReadFile("/proc/filesystems")
	if !strings.Contains(string(filesystems), "\toverlay\n") {
		need(loads("overlay"), s.module("the kernel's overlay file system", "images are layers", "overlay"))
	}
	if free, err := s.FreeBytes(o.Dir); err == nil {
		need(free >= minFree, Lack{
			What: "room on the disk", Do: "make room, or choose another disk with --dir",
			Why: fmt.Sprintf("%s has %d MiB free, and images and containers need %d", o.Dir, free>>20, minFree>>20),
		})
	}
	need(s.PortFree(o.KubeletPort), Lack{
		What: fmt.Sprintf("port %d on loopback", o.KubeletPort), Why: "the kubelet listens there, and something else does already",
		Do: "stop the other kubelet, or choose another port with --kubelet-port",
	})
	return lacks
}

// module is the lack of a kernel module; without modprobe, which Check calls, it is that program's.
func (s *System) module(what, why, name string) Lack {
	l := Lack{What: what, Why: why, Do: "modprobe " + name}
	if _, err := s.LookPath("modprobe"); err != nil {
		l.Packages = []string{"kmod"}
	}
	return l
}

// builtIn says whether a module is part of the kernel, which then has no file for it.
func (o *Options) builtIn(s *System, module string) bool {
	release, err := s.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return false
	}
	dir := "/lib/modules/" + strings.TrimSpace(string(release))
	list, err := s.ReadFile(dir + "/modules.builtin")
	// A kernel without modules has everything built in, or has not got it; the plugins will say.
	return err != nil && !s.Exists(dir) || strings.Contains(string(list), "/"+module+".ko")
}

// controllers are those that the kubelet wants.
var controllers = []string{"cpu", "cpuset", "memory", "pids"}

func (o *Options) controlGroups(s *System) []Lack {
	have, err := s.Controllers()
	if err != nil || len(have) == 0 {
		return []Lack{{What: "control groups", Why: fmt.Sprint("none are mounted: ", err), Do: "mount -t cgroup2 none /sys/fs/cgroup"}}
	}
	var missing []string
	for _, c := range controllers {
		if !have[c] {
			missing = append(missing, c)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Lack{{
		What: "the control group controllers " + strings.Join(missing, ", "), Why: "the kubelet limits pods by them",
		Do: "boot with cgroup_enable=memory cgroup_memory=1 on the kernel's command line",
	}}
}

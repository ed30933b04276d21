package preflight

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// whole is a machine that has everything, of which a test takes something away.
func whole() *System {
	return &System{
		LookPath:   func(p string) (string, error) { return "/usr/bin/" + p, nil },
		Exists:     func(string) bool { return true },
		ReadFile:   func(string) ([]byte, error) { return []byte("nodev\toverlay\n"), nil },
		FreeBytes:  func(string) (uint64, error) { return 100 << 30, nil },
		PortFree:   func(int) bool { return true },
		Dials:      func(string) error { return nil },
		LoadModule: func(string) error { return nil },
		Controllers: func() (map[string]bool, error) {
			return map[string]bool{"cpu": true, "cpuset": true, "memory": true, "pids": true}, nil
		},
		Trusted: func(string) error { return nil },
	}
}

func without(programs ...string) func(string) (string, error) {
	return func(p string) (string, error) {
		if slices.Contains(programs, p) {
			return "", exec.ErrNotFound
		}
		return "/usr/bin/" + p, nil
	}
}

func TestEachLackHasItsCommand(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*System, *Options)
		want   []string // all in the message
	}{
		"nothing":    {func(*System, *Options) {}, nil},
		"root":       {func(s *System, _ *Options) { s.UID = 1000 }, []string{"root", "sudo"}},
		"containerd": {func(s *System, _ *Options) { s.LookPath = without("containerd", "ctr") }, []string{"containerd", "apt-get install -y --no-install-recommends containerd\n"}},
		"a runc of somebody's": {
			func(s *System, _ *Options) {
				s.Trusted = func(p string) error {
					if p == "/usr/bin/runc" {
						return errors.New("/usr/bin/runc belongs to user 1000")
					}
					return nil
				}
			},
			[]string{"runc that only root can change", "belongs to user 1000"},
		},
		"plugins of everybody": {
			func(s *System, _ *Options) {
				s.Trusted = func(p string) error {
					if filepath.Base(p) == "portmap" {
						return errors.New("/opt/cni/bin may be written by everybody")
					}
					return nil
				}
			},
			[]string{"CNI plugins that only root can change", "written by everybody", "chown -R root:root /"},
		},
		"runc and apt": {
			func(s *System, _ *Options) { s.LookPath = without("runc", "apt-get") },
			[]string{"runc", "dnf install -y runc"},
		},
		"plugins on Alpine": {
			func(s *System, _ *Options) {
				s.LookPath = without("apt-get", "dnf", "zypper")
				s.Exists = func(p string) bool { return filepath.Base(p) != "portmap" }
			},
			[]string{"bridge, host-local", "apk add cni-plugins"},
		},
		"a runtime that does not answer": {
			func(s *System, o *Options) {
				o.Endpoint = "unix:///run/crio.sock"
				s.Dials = func(string) error { return errors.New("connection refused") }
				s.LookPath = without("containerd", "runc")
			},
			[]string{"/run/crio.sock", "connection refused", "systemctl start"},
		},
		"the memory controller": {
			func(s *System, _ *Options) {
				s.Controllers = func() (map[string]bool, error) {
					return map[string]bool{"cpu": true, "cpuset": true, "pids": true}, nil
				}
			},
			[]string{"memory", "cgroup_enable=memory"},
		},
		"overlay": {
			func(s *System, _ *Options) {
				s.ReadFile = func(string) ([]byte, error) { return nil, nil }
				s.LoadModule = func(string) error { return errors.New("no modules") }
			},
			[]string{"overlay", "modprobe overlay"},
		},
		"modprobe": {
			func(s *System, _ *Options) {
				s.ReadFile = func(string) ([]byte, error) { return nil, nil }
				s.LoadModule = func(string) error { return exec.ErrNotFound }
				s.LookPath = without("modprobe")
			},
			[]string{"overlay", "apt-get install -y --no-install-recommends kmod\n"},
		},
		"the bridge's packets in the firewall": {
			func(s *System, _ *Options) {
				s.Exists = func(p string) bool { return !strings.HasPrefix(p, "/proc/sys/net/bridge/") }
				s.LoadModule = func(string) error { return errors.New("no module") }
			},
			[]string{"bridge-nf-call-iptables", "modprobe br_netfilter"},
		},
		"room":     {func(s *System, _ *Options) { s.FreeBytes = func(string) (uint64, error) { return 1 << 20, nil } }, []string{"1 MiB free", "--dir"}},
		"the port": {func(s *System, _ *Options) { s.PortFree = func(int) bool { return false } }, []string{"10250", "--kubelet-port"}},
	} {
		s := whole()
		o := Options{CNIBinDirs: []string{"/opt/cni/bin", "/usr/lib/cni"}, Dir: "/var/lib/tabernetes", KubeletPort: 10250, System: s}
		c.change(s, &o)
		err := s.Explain(Check(o))
		if (err == nil) != (c.want == nil) {
			t.Errorf("without %s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error()+"\n", want) {
				t.Errorf("without %s: %v\ndoes not say %q", name, err, want)
			}
		}
	}
}

func TestTheFirstDirectoryWithAllPlugins(t *testing.T) {
	s := whole()
	s.Exists = func(p string) bool { return !strings.HasPrefix(p, "/opt/cni/bin/port") }
	if dir, ok := s.CNIBinDir([]string{"/opt/cni/bin", "/usr/lib/cni"}); !ok || dir != "/usr/lib/cni" {
		t.Errorf("%s, %v", dir, ok)
	}
}

// Whatever root is going to run by its name is looked at, if it is there; what others can change is not even run
// to look for what is missing.
func TestProgramsThatOthersCanChange(t *testing.T) {
	found := []string{
		"containerd", "ctr", "runc", "containerd-shim-runc-v2", "iptables", "iptables-save", "iptables-restore",
		"ip6tables", "ip6tables-save", "ip6tables-restore", "nft", "mount", "umount", "modprobe", "systemctl", "systemd-run",
		"getsubids", "unpigz", "igzip", "apparmor_parser",
	}
	options := Options{CNIBinDirs: []string{"/opt/cni/bin"}, Dir: "/var/lib/tabernetes", KubeletPort: 10250}
	for _, name := range found {
		s := whole()
		s.ReadFile = func(string) ([]byte, error) { return nil, nil } // a module is missing
		loaded := false
		s.LoadModule = func(string) error { loaded = true; return nil }
		s.Trusted = func(p string) error {
			if p == "/usr/bin/"+name {
				return errors.New("it belongs to user 1000")
			}
			return nil
		}
		o := options
		o.System = s
		lacks := Check(o)
		if want := name + " that only root can change"; !slices.ContainsFunc(lacks, func(l Lack) bool { return l.What == want && strings.Contains(l.Why, "user 1000") && l.Do != "" }) {
			t.Errorf("%s: %+v", name, lacks)
		}
		if loaded == (name == "modprobe") {
			t.Errorf("%s: modprobe was run: %v", name, loaded)
		}
	}
	// Those that a machine has not got, and need not have, are nobody's; nor is containerd's, where another runtime runs.
	s := whole()
	s.LookPath = without(slices.Concat(besides, containerds)...)
	options.System = s
	if lacks := Check(options); len(lacks) > 0 {
		t.Errorf("with nothing but what is needed: %+v", lacks)
	}
	s.LookPath = without()
	s.Trusted = func(p string) error {
		if p == "/usr/bin/containerd-shim-runc-v2" {
			return errors.New("it belongs to user 1000")
		}
		return nil
	}
	options.Endpoint = "unix:///run/crio.sock"
	if lacks := Check(options); len(lacks) > 0 {
		t.Errorf("with a runtime that is there: %+v", lacks)
	}
}

package nodedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// Place is where a node's files are.
type Place struct {
	// Dir is kept over boots, Run is not.
	Dir, Run string
}

// Default is the one node of a machine.
var Default = Place{Dir: "/var/lib/tabernetes", Run: "/run/tabernetes"}

// Absolute is the place wherever one is.
func (p Place) Absolute() (Place, error) {
	var errs [2]error
	p.Dir, errs[0] = filepath.Abs(p.Dir)
	p.Run, errs[1] = filepath.Abs(p.Run)
	return p, errors.Join(errs[:]...)
}

// Paths below a Place.
func (p Place) StateFile() string  { return filepath.Join(p.Dir, "node.json") }
func (p Place) CA() string         { return filepath.Join(p.Dir, "ca.crt") }
func (p Place) Bootstrap() string  { return filepath.Join(p.Dir, "bootstrap-kubelet.conf") }
func (p Place) Kubeconfig() string { return filepath.Join(p.Dir, "kubelet.conf") }
func (p Place) Kubelet() string    { return filepath.Join(p.Dir, "kubelet") }
func (p Place) Containerd() string { return filepath.Join(p.Dir, "containerd") }
func (p Place) CNI() string        { return filepath.Join(p.Dir, "cni") }
func (p Place) Registries() string { return filepath.Join(p.Dir, "registries") }
func (p Place) Volumes() string    { return filepath.Join(p.Dir, "volumes") }
func (p Place) Bin() string        { return filepath.Join(p.Dir, "bin") }
func (p Place) Logs() string       { return filepath.Join(p.Dir, "log") }
func (p Place) Socket() string     { return filepath.Join(p.Run, "containerd.sock") }
func (p Place) Images() string     { return filepath.Join(p.Run, "images.sock") }
func (p Place) RunState() string   { return filepath.Join(p.Run, "containerd") }
func (p Place) lockFile() string   { return filepath.Join(p.Run, "lock") }

// State is node.json.
type State struct {
	// Hub, Cluster and Node are where the node joined, and as what.
	Hub     string `json:"hub"`
	Cluster string `json:"cluster"`
	Node    string `json:"node"`
	// HubCertHash is the pin of the hub's certificate; empty for what the system trusts.
	HubCertHash string `json:"hubCertHash,omitempty"`
	// IP is the node's address, Instance its secret towards the hub.
	IP       string `json:"ip"`
	Instance string `json:"instance"`
	// Joined says that the node has been accepted: the CA is there, and the kubelet asks, or has
	// asked, for its certificate.
	Joined bool `json:"joined"`
	// CAHash is that of the cluster's CA.
	CAHash []string `json:"caHash"`
	// Forwarder is the port on loopback behind which the apiserver is; KubeletPort the kubelet's.
	Forwarder   int `json:"forwarder"`
	KubeletPort int `json:"kubeletPort"`
	// Endpoint is that of the container runtime; Own says that it is a child of nodehost's.
	Endpoint string `json:"endpoint"`
	Own      bool   `json:"own"`
	// RunDir is the Place's Run with which the node joined; empty in the state of an earlier version.
	RunDir string `json:"runDir,omitempty"`
	// PodCIDRs are the Node's, and Seen is the address that the hub sees the node come from: with them
	// its pods have their network while the cluster is away.
	PodCIDRs []string `json:"podCIDRs,omitempty"`
	Seen     string   `json:"seen,omitempty"`
	// Settings are what the node joined with, and keeps.
	Settings Settings `json:"settings"`
	// CgroupRoot is the node's control group.
	CgroupRoot string `json:"cgroupRoot"`
	// Sysctls are the machine's settings before the kubelet changed them, by their path below /proc/sys.
	Sysctls map[string]string `json:"sysctls,omitempty"`
	// BaseChains are iptables' own chains that were there before (nodehost/network); nil if nobody looked.
	BaseChains []string `json:"baseChains"`
	// Made are directories outside of Place that were not there before.
	Made []string `json:"made,omitempty"`
	// Service says that systemd keeps the node (nodehost/systemd).
	Service bool `json:"service,omitempty"`
	// Leaving says that the node is being taken off the machine, which the next start completes.
	Leaving bool `json:"leaving,omitempty"`
}

// Settings are those of a node that it keeps until it leaves.
type Settings struct {
	// Endpoint is a container runtime that is not ours; empty is containerd as a child.
	Endpoint string `json:"endpoint,omitempty"`
	// PauseImage is that of sandboxes.
	PauseImage string `json:"pauseImage"`
	// CNIConfDir is somebody else's network; empty is the node's own, of plugins in CNIBinDirs.
	CNIConfDir string   `json:"cniConfDir,omitempty"`
	CNIBinDirs []string `json:"cniBinDirs"`
	// Overlay and Proxy are nodehost/network's: which ways to other machines are allowed, and how
	// Services' rules are made. Empty leaves the choice to it.
	Overlay string `json:"overlay,omitempty"`
	Proxy   string `json:"proxy,omitempty"`
	// RegistryDir has a directory with hosts.toml for each registry; empty is the node's own.
	RegistryDir string `json:"registryDir,omitempty"`
	// Labels are further labels of the Node; Mix has it take pods that do not ask for a real node.
	Labels map[string]string `json:"labels,omitempty"`
	Mix    bool              `json:"mix,omitempty"`
	// EvictionHard are the kubelet's thresholds for evicting pods, by signal; nil is upstream's.
	EvictionHard map[string]string `json:"evictionHard,omitempty"`
	// KubeletConfig is a file with the rest of the kubelet's configuration; empty is upstream's. It is read at each start.
	KubeletConfig string `json:"kubeletConfig,omitempty"`
}

// Load reads the state; without one it is fs.ErrNotExist.
func (p Place) Load() (*State, error) {
	b, err := os.ReadFile(p.StateFile())
	if err != nil {
		return nil, err
	}
	s := &State{}
	err = json.Unmarshal(b, s)
	if err == nil && (s.Node == "" || s.Instance == "") {
		err = errors.New("it is not what a node knows of itself")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w; remove what the node left with `nodehost leave --force`", p.StateFile(), err)
	}
	return s, nil
}

// Save writes the state, whole or not at all, and onto the disk.
func (p Place) Save(s *State) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.Dir, 0o711); err != nil {
		return fmt.Errorf("keep the node's state: %w", err)
	}
	if err := wholefile.Write(p.StateFile(), append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("keep the node's state: %w", err)
	}
	return nil
}

// MakeOutside makes a directory outside of the place and remembers each that was not there.
func (p Place) MakeOutside(s *State, dir string) error {
	var missing []string
	for d := filepath.Clean(dir); d != "/"; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, d)
	}
	if len(missing) == 0 {
		return nil
	}
	// The deepest first, as they are to be removed.
	s.Made = append(missing, s.Made...)
	if err := p.Save(s); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return nil
}

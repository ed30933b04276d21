package cri

import (
	"bytes"
	"fmt"
	"text/template"
)

// Config is what containerd is told. Paths are absolute.
type Config struct {
	// Root and State are containerd's directories; State does not survive a boot.
	Root, State string
	// Socket is where it listens; at most 100 bytes, for a unix socket's sake.
	Socket string
	// PauseImage is that of sandboxes.
	PauseImage string
	// CNIConfDir and CNIBinDirs are where the network's configuration and plugins are.
	CNIConfDir string
	CNIBinDir  string
	// RegistryDir has a directory for each registry with a hosts.toml: mirrors, CAs.
	RegistryDir string
	// SystemdCgroup has runc ask systemd for its groups.
	SystemdCgroup bool
	// RestrictOOMScoreAdj is for machines without CAP_SYS_RESOURCE: runc dies otherwise.
	RestrictOOMScoreAdj bool
}

// The file is of version 2, which containerd 1.6 and 1.7 read and 2.x migrates by itself.
var configFile = template.Must(template.New("config.toml").Parse(`version = 2
root = {{printf "%q" .Root}}
state = {{printf "%q" .State}}
oom_score = 0
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.nri.v1.nri",
]

[grpc]
  address = {{printf "%q" .Socket}}

[plugins."io.containerd.internal.v1.opt"]
  path = {{printf "%q" (print .Root "/opt")}}

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = {{printf "%q" .PauseImage}}
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  restrict_oom_score_adj = {{.RestrictOOMScoreAdj}}
  tolerate_missing_hugetlb_controller = true

  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"

      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        Root = {{printf "%q" (print .State "/runc")}}
        SystemdCgroup = {{.SystemdCgroup}}

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = {{printf "%q" .CNIBinDir}}
    conf_dir = {{printf "%q" .CNIConfDir}}

  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = {{printf "%q" .RegistryDir}}
`))

// maxSocket is below the 107 bytes of a unix socket's address.
const maxSocket = 100

// File is containerd's configuration file.
func (c Config) File() ([]byte, error) {
	if len(c.Socket) > maxSocket {
		return nil, fmt.Errorf("configure containerd: the socket's path %s has %d bytes, %d are possible; choose a shorter --run-dir", c.Socket, len(c.Socket), maxSocket)
	}
	var b bytes.Buffer
	if err := configFile.Execute(&b, c); err != nil {
		return nil, fmt.Errorf("configure containerd: %w", err)
	}
	return b.Bytes(), nil
}

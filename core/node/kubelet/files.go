package kubelet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFiles makes the node's directories and the files that upstream reads
// instead of taking them as values. Files of an earlier run are replaced, but for
// resolv.conf.
func writeFiles(o Options) error {
	for _, dir := range []string{o.kubeletDir(), o.podLogsDir(), o.manifestsDir(), filepath.Join(o.RootDir, "var/log/containers"), filepath.Join(o.RootDir, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make the node's directories: %w", err)
		}
	}
	for _, f := range []struct {
		path string
		data []byte
		mode os.FileMode
	}{
		{o.certFile(), o.ServingCert, 0o644},
		{o.keyFile(), o.ServingKey, 0o600},
		{o.clientCAFile(), o.ClientCA, 0o644},
		{filepath.Join(o.RootDir, "etc/hostname"), []byte(o.Name + "\n"), 0o644},
		{filepath.Join(o.RootDir, "etc/hosts"), fmt.Appendf(nil, "127.0.0.1\tlocalhost\n%s\t%s\n", o.IP, o.Name), 0o644},
	} {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return fmt.Errorf("make the node's directories: %w", err)
		}
		if err := os.WriteFile(f.path, f.data, f.mode); err != nil {
			return fmt.Errorf("write the node's files: %w", err)
		}
	}
	return writeResolvConf(o)
}

// resolvConfText is what pods with dnsPolicy Default begin with.
const resolvConfText = `# A browser tab has no name server of its own: pods with dnsPolicy Default, and those of the node's own
# network, resolve no names. With this line they would ask the cluster's:
# nameserver 10.96.0.10
`

// writeResolvConf makes the node's resolv.conf, which upstream's kubelet reads for each pod with dnsPolicy Default.
// What somebody has written there stays, and a symbolic link in its place is not followed.
func writeResolvConf(o Options) error {
	f, err := os.OpenFile(o.resolvConf(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = f.WriteString(resolvConfText)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("write the node's files: %w", err)
	}
	return nil
}

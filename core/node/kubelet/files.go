package kubelet

import (
	"fmt"
	"os"
	"path/filepath"
)

// writeFiles makes the node's directories and the files that upstream reads
// instead of taking them as values. Files of an earlier run are replaced.
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
		// No name server: an in-tab node has none but the cluster's own.
		{o.resolvConf(), []byte("# This node resolves cluster names only.\n"), 0o644},
	} {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return fmt.Errorf("make the node's directories: %w", err)
		}
		if err := os.WriteFile(f.path, f.data, f.mode); err != nil {
			return fmt.Errorf("write the node's files: %w", err)
		}
	}
	return nil
}

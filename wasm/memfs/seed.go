package memfs

import "path"

// Seed fills f with what a small Linux machine has and upstream looks for. The name server is
// an address where nobody listens: an unknown name fails at once.
func Seed(f *FS) error {
	for _, dir := range []string{"/dev/shm", "/etc/kubernetes", "/etc/ssl/certs", "/proc/sys/kernel", "/root", "/run/lock", "/sys", "/usr/bin", "/usr/libexec",
		"/var/cache", "/var/lib", "/var/log/pods", "/var/log/containers", "/home"} {
		if err := f.mkdirAll(dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		if err := f.mkdirAll(dir); err != nil {
			return err
		}
		if err := f.Chmod(dir, 0o1777); err != nil {
			return err
		}
	}
	for link, target := range map[string]string{"/var/run": "/run", "/bin": "usr/bin", "/dev/fd": "/proc/self/fd"} {
		if err := f.Symlink(target, link); err != nil {
			return err
		}
	}
	for name, d := range map[string]device{"null": null{}, "zero": zero{}, "full": full{}, "random": random{}, "urandom": random{}} {
		n := f.newNode(typeChar | 0o666)
		n.device = d
		p, err := f.vacant("/dev/"+name, false)
		if err != nil {
			return err
		}
		p.dir.add(p.name, n, n.ctime)
	}
	for name, text := range map[string]string{
		"/etc/passwd":        "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
		"/etc/group":         "root:x:0:\nnogroup:x:65534:\n",
		"/etc/hosts":         "127.0.0.1\tlocalhost\n127.0.0.1\ttabernetes\n",
		"/etc/hostname":      "tabernetes\n",
		"/etc/resolv.conf":   "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
		"/etc/nsswitch.conf": "hosts: files dns\n",
		"/etc/os-release":    "ID=tabernetes\nNAME=Tabernetes\nPRETTY_NAME=\"Tabernetes (js/wasm)\"\n",
		"/etc/machine-id":    "7abe4ae7e50000000000000000000001\n",
		// Older than every feature of Linux that somebody might look for.
		"/proc/sys/kernel/osrelease": "0.0.0\n",
	} {
		if err := f.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (f *FS) mkdirAll(dir string) error {
	if _, err := f.Stat(dir, true); err == nil {
		return nil
	}
	if err := f.mkdirAll(path.Dir(dir)); err != nil {
		return err
	}
	return f.Mkdir(dir, 0o755)
}

// WriteFile makes or replaces the file at name.
func (f *FS) WriteFile(name string, data []byte, perm uint32) error {
	fd, err := f.Open(name, O_WRONLY|O_CREAT|O_TRUNC, perm)
	if err != nil {
		return err
	}
	defer f.Close(fd)
	_, err = f.Write(fd, data)
	return err
}

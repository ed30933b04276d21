package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// shut makes a new directory the root of the whole process, for good: upstream's kubectl has more ways to open a file
// and to start a program than anybody can watch (credential plugins, kubeconfigs, kustomizations), and now the machine
// has none for them, nor a socket. remove takes the directory away; what runs still has no way out.
//
// It needs CAP_SYS_CHROOT, which a process in a network of its own has (core/netns). Go's threads share their root.
func shut() (remove func() error, err error) {
	dir, err := os.MkdirTemp("", "lesson-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	outside, err := os.OpenRoot(filepath.Dir(dir)) // names what is outside, by a descriptor that nobody else has
	if err != nil {
		return nil, errors.Join(fmt.Errorf("shut the lesson in %s: %w", dir, err), os.Remove(dir))
	}
	remove = func() error { return errors.Join(outside.RemoveAll(filepath.Base(dir)), outside.Close()) }
	err = errors.Join(os.Mkdir(filepath.Join(dir, "tmp"), 0o700), os.Mkdir(filepath.Join(dir, "dev"), 0o700),
		os.MkdirAll(filepath.Join(dir, "sys/fs/cgroup"), 0o700)) // where the kubelet's libraries look, and warn
	if err == nil { // where the kubelet waits for the kernel's word of its out of memory killer
		err = os.WriteFile(filepath.Join(dir, "dev/kmsg"), nil, 0o600)
	}
	if err == nil {
		err = syscall.Chroot(dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("shut the lesson in %s: %w", dir, err), remove())
	}
	if err := errors.Join(os.Chdir("/"), os.Setenv("TMPDIR", "/tmp"), os.Setenv("HOME", "/")); err != nil {
		return nil, errors.Join(fmt.Errorf("shut the lesson in %s: %w", dir, err), remove())
	}
	return remove, nil
}

package netns

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
)

// marker is set in the environment of the process inside.
const marker = "TABERNETES_NETNS"

// Enter must be called first thing in main, before any goroutine that matters.
// Outside it runs the same program again inside, waits for it and exits with its
// code; inside it sets the network up and returns nil. An error means that the
// process stays outside, because the kernel forbids namespaces, or that the
// network inside could not be set up.
func Enter(addrs ...netip.Addr) error {
	err := enter(slices.Concat(NodeAddrs, addrs))
	if err != nil {
		unavailable = err.Error()
		fmt.Fprintln(os.Stderr, "netns: no network of our own:", err)
	}
	return err
}

func enter(addrs []netip.Addr) error {
	if os.Getenv(marker) != "" {
		return setUp(addrs)
	}
	var errs []error
	for _, attr := range attributes() {
		code, err := reexec(attr)
		if err == nil {
			os.Exit(code)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// attributes are the ways to try: root needs no user namespace, but a root
// without CAP_SYS_ADMIN (in a container) does, like everyone else.
func attributes() []*syscall.SysProcAttr {
	user := &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNET | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	if os.Getuid() != 0 {
		return []*syscall.SysProcAttr{user}
	}
	return []*syscall.SysProcAttr{{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}, user}
}

// reexec runs this program again and returns its exit code. An error means that
// it never started.
func reexec(attr *syscall.SysProcAttr) (code int, err error) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = os.Args
	cmd.Env = append(os.Environ(), marker+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = attr
	if err := start(cmd); err != nil {
		return 0, fmt.Errorf("clone with flags %#x: %w", attr.Cloneflags, err)
	}
	// What is sent to this process is meant for the one inside: go test asks for
	// the stacks with SIGQUIT when time is up.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	default:
		fmt.Fprintln(os.Stderr, "netns: the process inside:", err)
		return 1, nil
	}
}

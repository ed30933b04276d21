package netns

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var extra = netip.MustParseAddr("172.30.0.99")

func TestMain(m *testing.M) { Main(m, extra) }

func TestClusterAddressesAreLocal(t *testing.T) {
	Require(t)
	for _, addr := range []string{"10.244.1.5:80", "10.96.0.1:443", "172.30.0.11:10250", "172.30.0.99:1", "127.0.0.1:6443"} {
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			t.Errorf("listen: %v", err)
			continue
		}
		defer ln.Close()
		go func() {
			if c, err := ln.Accept(); err == nil {
				io.WriteString(c, ln.Addr().String())
				c.Close()
			}
		}()
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Errorf("dial: %v", err)
			continue
		}
		got, _ := io.ReadAll(c)
		if string(got) != addr {
			t.Errorf("%s answered as %q", addr, got)
		}
	}
}

func TestNodeAddressesAreOnAnInterface(t *testing.T) {
	Require(t)
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, a := range addrs {
		have[a.(*net.IPNet).IP.String()] = true
	}
	for _, want := range append(NodeAddrs, extra) {
		if !have[want.String()] {
			t.Errorf("%s is on no interface: %v", want, addrs)
		}
	}
}

func TestTheMachinesNetworkIsOutside(t *testing.T) {
	Require(t)
	ifaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range ifaces {
		if i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0 {
			t.Errorf("interface %s is up", i.Name)
		}
	}
}

// The child of this test is outside of any namespace as far as it knows, so it
// enters one of its own; its exit code has to come through both processes.
func TestExitCodeOfTheProcessInside(t *testing.T) {
	Require(t)
	if os.Getenv("NETNS_TEST_EXIT") != "" {
		os.Exit(7)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestExitCodeOfTheProcessInside$")
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TABERNETES_NETNS=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "NETNS_TEST_EXIT=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("exit: %v\n%s", err, out)
	}
}

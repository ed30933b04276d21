package overlay

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func begin(t testing.TB) *testnet.Net {
	t.Helper()
	testnet.Require(t, "nft", "iptables", "ping")
	testcluster.Shared.Open(t)
	return testnet.New(t)
}

// big is a payload of many packets.
var big = bytes.Repeat([]byte("tabernetes"), 200_000)

// serve sends who asked and then the big payload.
func serve(t testing.TB, ns *testnet.Namespace, address string) {
	t.Helper()
	l := ns.Listen(t, address)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprintln(c, c.RemoteAddr().(*net.TCPAddr).IP)
				_, _ = c.Write(big)
			}()
		}
	}()
}

// fetch returns who the server says asked; the payload must have come whole.
func fetch(from *testnet.Namespace, address string) (string, error) {
	c, err := from.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	b, err := io.ReadAll(c)
	who, rest, _ := bytes.Cut(b, []byte("\n"))
	if err == nil && !bytes.Equal(rest, big) {
		err = fmt.Errorf("%d of %d bytes came", len(rest), len(big))
	}
	return string(who), err
}

// wantReach looks both ways: the pods see each other's own address, and packets of the size
// given pass unfragmented.
func wantReach(t testing.TB, a *testnet.Namespace, aIP string, b *testnet.Namespace, bIP string, size int) {
	t.Helper()
	for _, d := range []struct {
		from, to     *testnet.Namespace
		fromIP, toIP string
	}{{a, b, aIP, bIP}, {b, a, bIP, aIP}} {
		eventually.OK(t, d.fromIP+" to "+d.toIP, func() error {
			who, err := fetch(d.from, d.toIP+":80")
			if err == nil && who != d.fromIP {
				err = fmt.Errorf("the pod %s is seen as %s", d.fromIP, who)
			}
			return err
		})
		if out, err := ping(d.from, d.toIP, size); err != nil {
			t.Errorf("%d bytes from %s to %s: %v\n%s", size, d.fromIP, d.toIP, err, out)
		}
	}
}

// ping sends packets of the size that must not be fragmented; two, as the first may find out
// how much fits.
func ping(from *testnet.Namespace, to string, size int) (string, error) {
	return from.Exec("ping", "-c2", "-i0.2", "-W2", "-M", "do", "-s", fmt.Sprint(size-28), to)
}

func TestRoutesWithinASubnet(t *testing.T) {
	net := begin(t)
	a := newNode(t, net.Host(t, "192.168.1.11/24")).start(t)
	b := newNode(t, net.Host(t, "192.168.1.12/24")).start(t)
	a.process.WaitFor(t, "way to "+b.config.Node+" by route")
	pa, ipA := a.pod(t, 1450)
	pb, ipB := b.pod(t, 1450)
	wantReach(t, pa, ipA, pb, ipB, 1450)
	if out := a.MustExec(t, "ip", "route", "get", ipB); !strings.Contains(out, "via 192.168.1.12 dev eth0") {
		t.Errorf("the way: %s", out)
	}

	// Out of the cluster a pod has its machine's address.
	outside := net.Host(t, "192.168.2.99/24")
	serve(t, outside.Namespace, "192.168.2.99:80")
	if who, err := fetch(pa, "192.168.2.99:80"); err != nil || who != a.IP() {
		t.Errorf("outside the pod is %q, %v", who, err)
	}
	// Nobody's pod is nobody, at once.
	if out, err := pa.Exec("ping", "-c1", "-W5", "10.244.250.5"); err == nil || !strings.Contains(out, "nreachable") {
		t.Errorf("a pod of no node: %s", out)
	}
}

func TestVXLANBetweenSubnets(t *testing.T) {
	net := begin(t)
	a := newNode(t, net.Host(t, "192.168.1.11/24")).start(t)
	hb := net.Host(t, "192.168.2.12/24")
	b := newNode(t, hb).start(t)
	a.process.WaitFor(t, "way to "+b.config.Node+" by vxlan")
	pa, ipA := a.pod(t, 1450)
	pb, ipB := b.pod(t, 1450)
	wantReach(t, pa, ipA, pb, ipB, 1450)
	if out := a.MustExec(t, "ip", "route", "get", ipB); !strings.Contains(out, "dev "+Interface) {
		t.Errorf("the way: %s", out)
	}
	// The machines themselves reach the pods, too.
	if _, err := fetch(a.Namespace, ipB+":80"); err != nil {
		t.Errorf("machine to pod: %v", err)
	}

	// The way becomes narrower: routes say so, and nothing is lost without a word.
	hb.MustExec(t, "ip", "link", "set", "eth0", "mtu", "1400")
	eventually.OK(t, "the route's MTU", func() error {
		if out := a.MustExec(t, "ip", "route", "show", b.config.Pods.String()); !strings.Contains(out, "mtu 1350") {
			return fmt.Errorf("%s", out)
		}
		return nil
	})
	if out, err := ping(pa, ipB, 1450); err == nil {
		t.Errorf("more than fits passed:\n%s", out)
	}
	wantReach(t, pa, ipA, pb, ipB, 1350)
}

func TestVXLANWithinASubnet(t *testing.T) {
	net := begin(t)
	vxlan := func(c *config) { c.Mode = ways.VXLAN }
	a := newNode(t, net.Host(t, "192.168.1.11/24"), vxlan).start(t)
	b := newNode(t, net.Host(t, "192.168.1.12/24")).start(t)
	a.process.WaitFor(t, "way to "+b.config.Node+" by vxlan")
	pa, ipA := a.pod(t, 1450)
	pb, ipB := b.pod(t, 1450)
	wantReach(t, pa, ipA, pb, ipB, 1450)
}

func TestNodesComeAndGo(t *testing.T) {
	net := begin(t)
	a := newNode(t, net.Host(t, "192.168.1.11/24")).start(t)
	pa, ipA := a.pod(t, 1450)
	a.process.WaitFor(t, "ready")

	b := newNode(t, net.Host(t, "192.168.2.12/24")).start(t)
	c := newNode(t, net.Host(t, "192.168.1.13/24")).start(t)
	pb, ipB := b.pod(t, 1450)
	pc, ipC := c.pod(t, 1450)
	wantReach(t, pa, ipA, pb, ipB, 1450)
	wantReach(t, pa, ipA, pc, ipC, 1450)
	wantReach(t, pb, ipB, pc, ipC, 1450)

	// The tab goes away, and the agent, too: pods go on.
	shut := testcluster.Shared.Open(t)
	shut()
	a.process.Kill()
	wantReach(t, pa, ipA, pb, ipB, 1450)
	testcluster.Shared.Open(t)
	a.start(t)

	// A machine's address changes; the others hear of it.
	if err := b.process.Stop(); err != nil {
		t.Error(err)
	}
	b.MustExec(t, "ip", "addr", "del", "192.168.2.12/24", "dev", "eth0")
	b.MustExec(t, "ip", "addr", "add", "192.168.2.22/24", "dev", "eth0")
	b.MustExec(t, "ip", "route", "replace", "default", "via", "192.168.2.1")
	b.config.IP = netip.MustParseAddr("192.168.2.22")
	b.start(t)
	wantReach(t, pa, ipA, pb, ipB, 1450)

	// The kernel drops routes through an interface that goes down.
	a.MustExec(t, "ip", "link", "set", "eth0", "down")
	a.MustExec(t, "ip", "link", "set", "eth0", "up")
	a.MustExec(t, "ip", "route", "replace", "default", "via", "192.168.1.1")
	wantReach(t, pa, ipA, pc, ipC, 1450)

	// Of two nodes in VXLAN one goes: what the kernel knows of it goes, too.
	d := newNode(t, net.Host(t, "192.168.3.14/24")).start(t)
	a.process.WaitFor(t, "3 ways")
	known := func() string {
		return a.MustExec(t, "ip", "neigh", "show", "dev", Interface) + a.MustExec(t, "bridge", "fdb", "show", "dev", Interface)
	}
	if mac := ways.MAC(d.config.Node).String(); strings.Count(known(), mac) != 2 {
		t.Errorf("%s should be known twice:\n%s", mac, known())
	}
	if err := testcluster.Shared.Client.CoreV1().Nodes().Delete(t.Context(), d.config.Node, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually.OK(t, "nothing of the node that is gone", func() error {
		if got := known(); strings.Contains(got, ways.MAC(d.config.Node).String()) || strings.Contains(got, d.IP()) {
			return fmt.Errorf("%s", got)
		}
		return nil
	})

	for _, n := range []*node{b, c} {
		if err := testcluster.Shared.Client.CoreV1().Nodes().Delete(t.Context(), n.config.Node, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	a.process.WaitFor(t, "0 ways")
	out := a.MustExec(t, "ip", "route", "show", "proto", "84") + a.MustExec(t, "ip", "-br", "link")
	for _, gone := range []string{b.config.Pods.String(), c.config.Pods.String(), Interface} {
		if strings.Contains(out, gone) {
			t.Errorf("%s of a node that is gone is left:\n%s", gone, out)
		}
	}
	if out, err := pa.Exec("ping", "-c1", "-W5", ipB); err == nil || !strings.Contains(out, "nreachable") {
		t.Errorf("a pod of a node that is gone: %s", out)
	}
}

func TestNodesBehindNATAreRefused(t *testing.T) {
	net := begin(t)
	nat := func(c *config) { c.Seen = netip.MustParseAddr("203.0.113.1") }
	own := func(c *config) { c.Seen = c.IP } // no NAT
	a := newNode(t, net.Host(t, "192.168.1.11/24"), nat).start(t)
	b := newNode(t, net.Host(t, "192.168.2.12/24"), own).start(t)
	c := newNode(t, net.Host(t, "192.168.1.13/24"), nat).start(t)
	a.process.WaitFor(t, "way to "+b.config.Node+" by none: node "+a.config.Node+" is behind NAT")
	b.process.WaitFor(t, "way to "+a.config.Node+" by none: node "+a.config.Node+" is behind NAT")
	pa, ipA := a.pod(t, 1450)
	_, ipB := b.pod(t, 1450)
	pc, ipC := c.pod(t, 1450)
	if out, err := pa.Exec("ping", "-c1", "-W5", ipB); err == nil || !strings.Contains(out, "nreachable") {
		t.Errorf("a pod that cannot be reached: %s", out)
	}
	wantReach(t, pa, ipA, pc, ipC, 1450) // neighbours

	// An address that the machine has not got.
	d := newNode(t, net.Host(t, "192.168.1.14/24"), func(c *config) { c.IP = c.IP.Next() })
	d.Launch(t, "overlay", d.config).WaitFor(t, "192.168.1.15 is on no interface of this machine")
}

// A machine without nftables has iptables for it.
func TestMasqueradingByIPTables(t *testing.T) {
	net := begin(t)
	a := newNode(t, net.Host(t, "192.168.1.11/24"), func(c *config) { c.Path = testnet.Without(t, "nft") }).start(t)
	b := newNode(t, net.Host(t, "192.168.1.12/24")).start(t)
	a.process.WaitFor(t, "way to "+b.config.Node+" by route")
	pa, ipA := a.pod(t, 1450)
	pb, ipB := b.pod(t, 1450)
	wantReach(t, pa, ipA, pb, ipB, 1450)
	outside := net.Host(t, "192.168.2.99/24")
	serve(t, outside.Namespace, "192.168.2.99:80")
	if who, err := fetch(pa, "192.168.2.99:80"); err != nil || who != a.IP() {
		t.Errorf("outside the pod is %q, %v", who, err)
	}
	if err := a.process.Stop(); err != nil {
		t.Error(err)
	}
	look := a.config
	look.Remove = true
	if p := a.Start(t, "overlay", look); p.Stop() != nil || strings.Contains(p.Output(), "left:") {
		t.Errorf("%s", p.Output())
	}
	if out := a.MustExec(t, "iptables-save"); strings.Contains(out, "TABERNETES") || strings.Contains(out, "tabernetes") {
		t.Errorf("rules are left:\n%s", out)
	}
}

func TestNothingIsLeft(t *testing.T) {
	net := begin(t)
	a := newNode(t, net.Host(t, "192.168.1.11/24"))
	a.MustExec(t, "sysctl", "-qw", "net.ipv4.ip_forward=0")
	a.MustExec(t, "iptables", "-P", "FORWARD", "DROP") // as Docker does
	b := newNode(t, net.Host(t, "192.168.2.12/24")).start(t)
	a.start(t)
	a.process.WaitFor(t, "way to "+b.config.Node+" by vxlan")
	pa, ipA := a.pod(t, 1450)
	pb, ipB := b.pod(t, 1450)
	wantReach(t, pa, ipA, pb, ipB, 1450) // although iptables drops what it does not know
	a.process.Kill()

	look := a.config
	look.Inventory = true
	p := a.Start(t, "overlay", look)
	for _, want := range []string{"route 10.244.0.0/16", "route " + b.config.Pods.String(), "interface " + Interface, "nftables table ip tabernetes", "iptables rule -A FORWARD -i tab-br0", "file "} {
		p.WaitFor(t, "left: "+want)
	}
	look.Remove = true
	p = a.Start(t, "overlay", look)
	if err := p.Stop(); err != nil || strings.Contains(p.Output(), "left:") {
		t.Errorf("%v\n%s", err, p.Output())
	}
	if out := a.MustExec(t, "sysctl", "-n", "net.ipv4.ip_forward"); strings.TrimSpace(out) != "0" {
		t.Errorf("ip_forward is %s", out)
	}
	if out := a.MustExec(t, "nft", "list", "ruleset"); strings.Contains(out, "tabernetes") || strings.Contains(out, bridge) {
		t.Errorf("rules are left:\n%s", out)
	}
}

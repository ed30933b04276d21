package tool

import (
	"fmt"
	"io"
	"net"
	"strings"
)

func init() {
	tools["ping"] = ping
	tools["ip"] = ip
	tools["ifconfig"] = ifconfig
}

// ping cannot ping: a pod's network here carries TCP connections and no ICMP.
func ping(t *T) int {
	_, _ = io.WriteString(t.stderr(), "ping: permission denied (the in-tab network carries no ICMP; try nc -z HOST PORT, or wget)\n")
	return 1
}

// addresses are the pod's own.
func (t *T) addresses() []net.IP {
	if t.Net == nil {
		return nil
	}
	return t.Net.IPs()
}

func ip(t *T) int {
	args := t.Args[1:]
	brief := false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		brief = brief || args[0] == "-br" || args[0] == "-brief" || args[0] == "-o"
		args = args[1:]
	}
	object := "addr"
	if len(args) > 0 {
		object = args[0]
	}
	switch {
	case strings.HasPrefix("address", object):
		if brief {
			t.print("lo               UNKNOWN        127.0.0.1/8\n")
			for _, ip := range t.addresses() {
				t.printf("eth0             UP             %s/32\n", ip)
			}
			return 0
		}
		t.print("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n")
		for _, ip := range t.addresses() {
			t.printf("2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 65536 qdisc noqueue\n    link/ether %s brd ff:ff:ff:ff:ff:ff\n    inet %s/32 scope global eth0\n       valid_lft forever preferred_lft forever\n", hardware(ip), ip)
		}
	case strings.HasPrefix("route", object):
		t.print("default dev eth0\n")
	case strings.HasPrefix("link", object) && len(args) > 1 && strings.HasPrefix("add", args[1]):
		// A pod has the network that it was given, whoever it runs as.
		_, _ = io.WriteString(t.stderr(), "ip: RTNETLINK answers: Operation not permitted\n")
		return 2
	case strings.HasPrefix("link", object):
		t.print("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n")
		for _, ip := range t.addresses() {
			t.printf("2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 65536 qdisc noqueue\n    link/ether %s brd ff:ff:ff:ff:ff:ff\n", hardware(ip))
		}
	default:
		t.fail("invalid argument '%s' to 'ip'", object)
	}
	return 0
}

// hardware is a locally administered address made of an IP, as CNI's plugins make it.
func hardware(ip net.IP) string {
	v4 := ip.To4()
	if v4 == nil {
		return "02:00:00:00:00:01"
	}
	return fmt.Sprintf("0a:58:%02x:%02x:%02x:%02x", v4[0], v4[1], v4[2], v4[3])
}

func ifconfig(t *T) int {
	for _, ip := range t.addresses() {
		t.printf("eth0      Link encap:Ethernet  HWaddr %s\n          inet addr:%s  Mask:255.255.255.255\n          UP BROADCAST RUNNING MULTICAST  MTU:65536  Metric:1\n\n",
			strings.ToUpper(hardware(ip)), ip)
	}
	t.print("lo        Link encap:Local Loopback\n          inet addr:127.0.0.1  Mask:255.0.0.0\n          UP LOOPBACK RUNNING  MTU:65536  Metric:1\n\n")
	return 0
}

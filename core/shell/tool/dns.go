package tool

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tabernetes/tabernetes/core/program/dnsclient"
)

func init() {
	tools["nslookup"] = nslookup
	tools["dig"] = dig
	tools["getent"] = getent
}

// recordTypes are those that can be asked for by name.
var recordTypes = map[string]dnsmessage.Type{
	"A": dnsmessage.TypeA, "AAAA": dnsmessage.TypeAAAA, "CNAME": dnsmessage.TypeCNAME, "SRV": dnsmessage.TypeSRV,
	"PTR": dnsmessage.TypePTR, "TXT": dnsmessage.TypeTXT, "SOA": dnsmessage.TypeSOA, "NS": dnsmessage.TypeNS,
	"MX": dnsmessage.TypeMX, "ANY": dnsmessage.TypeALL,
}

// typeName is a record type as programs print it.
func typeName(t dnsmessage.Type) string {
	for name, of := range recordTypes {
		if of == t {
			return name
		}
	}
	return "TYPE" + strconv.Itoa(int(t))
}

// asker asks over the container's network, as its resolv.conf says.
func (t *T) asker() dnsclient.Asker {
	data, _ := t.FS.ReadFile("/etc/resolv.conf") // without one, the server on localhost
	return dnsclient.Asker{Dial: t.Net.Dial, Config: dnsclient.ParseConfig(string(data))}
}

func nslookup(t *T) int {
	kind := dnsmessage.TypeA
	var args []string
	for _, arg := range t.Args[1:] {
		option, ok := strings.CutPrefix(arg, "-")
		if !ok {
			args = append(args, arg)
			continue
		}
		name, value, _ := strings.Cut(option, "=")
		if name != "type" && name != "q" && name != "querytype" && name != "query" {
			continue
		}
		if kind, ok = recordTypes[strings.ToUpper(value)]; !ok {
			t.fail("invalid query type '%s'", value)
			return 1
		}
	}
	if len(args) == 0 || len(args) > 2 {
		return t.usage("[-type=QUERY_TYPE] HOST [DNS_SERVER]")
	}
	if t.Net == nil {
		t.fail("no network")
		return 1
	}
	ctx, cancel := context.WithTimeout(t.ctx, 15*time.Second)
	defer cancel()
	a := t.asker()
	if len(args) == 2 {
		servers, err := t.Net.LookupHost(ctx, args[1])
		if err != nil {
			t.fail("bad address '%s'", args[1])
			return 1
		}
		a.Servers = servers[:1]
	}
	t.printf("Server:\t\t%s\nAddress:\t%s\n\n", a.Servers[0], net.JoinHostPort(a.Servers[0], "53"))
	names := a.Candidates(args[0])
	if ip, err := netip.ParseAddr(args[0]); err == nil {
		kind, names = dnsmessage.TypePTR, []string{reverse(ip)}
	}
	for _, name := range names {
		m, err := a.Ask(ctx, name, kind)
		if err != nil {
			t.printf(";; connection timed out; no servers could be reached\n\n")
			return 1
		}
		if m.RCode != dnsmessage.RCodeSuccess || len(m.Answers) == 0 {
			continue
		}
		if !m.Authoritative {
			t.print("Non-authoritative answer:\n")
		}
		for _, r := range m.Answers {
			t.nslookupRecord(r)
		}
		t.print("\n")
		return 0
	}
	t.printf("** server can't find %s: NXDOMAIN\n\n", args[0])
	return 1
}

func (t *T) nslookupRecord(r dnsmessage.Resource) {
	name, data := strings.TrimSuffix(r.Header.Name.String(), "."), strings.TrimSuffix(recordData(r), ".")
	switch r.Body.(type) {
	case *dnsmessage.AResource, *dnsmessage.AAAAResource:
		t.printf("Name:\t%s\nAddress: %s\n", printable(name), data)
	case *dnsmessage.CNAMEResource:
		t.printf("%s\tcanonical name = %s\n", printable(name), printable(data))
	case *dnsmessage.PTRResource:
		t.printf("%s\tname = %s\n", printable(name), printable(data))
	case *dnsmessage.SRVResource:
		t.printf("%s\tservice = %s\n", printable(name), printable(data))
	case *dnsmessage.TXTResource:
		t.printf("%s\ttext = %s\n", printable(name), printable(data))
	case *dnsmessage.NSResource:
		t.printf("%s\tnameserver = %s\n", printable(name), printable(data))
	case *dnsmessage.MXResource:
		t.printf("%s\tmail exchanger = %s\n", printable(name), printable(data))
	default:
		t.printf("%s\t%s = %s\n", printable(name), strings.ToLower(typeName(r.Header.Type)), printable(data))
	}
}

// recordData is what a record says, as dig prints it.
func recordData(r dnsmessage.Resource) string {
	switch b := r.Body.(type) {
	case *dnsmessage.AResource:
		return netip.AddrFrom4(b.A).String()
	case *dnsmessage.AAAAResource:
		return netip.AddrFrom16(b.AAAA).String()
	case *dnsmessage.CNAMEResource:
		return b.CNAME.String()
	case *dnsmessage.PTRResource:
		return b.PTR.String()
	case *dnsmessage.NSResource:
		return b.NS.String()
	case *dnsmessage.SRVResource:
		return strings.Join([]string{strconv.Itoa(int(b.Priority)), strconv.Itoa(int(b.Weight)), strconv.Itoa(int(b.Port)), b.Target.String()}, " ")
	case *dnsmessage.MXResource:
		return strconv.Itoa(int(b.Pref)) + " " + b.MX.String()
	case *dnsmessage.TXTResource:
		quoted := make([]string, len(b.TXT))
		for i, text := range b.TXT {
			quoted[i] = strconv.Quote(text)
		}
		return strings.Join(quoted, " ")
	case *dnsmessage.SOAResource:
		numbers := []string{b.NS.String(), b.MBox.String()}
		for _, n := range []uint32{b.Serial, b.Refresh, b.Retry, b.Expire, b.MinTTL} {
			numbers = append(numbers, strconv.FormatUint(uint64(n), 10))
		}
		return strings.Join(numbers, " ")
	}
	return ""
}

// printable is what a server says, with what a terminal could obey as \DDD (RFC 1035, 5.1).
func printable(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			fmt.Fprintf(&b, "\\%03d", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// reverse is the name under which an address's name is found.
func reverse(ip netip.Addr) string {
	var labels []string
	suffix := "in-addr.arpa."
	if ip.Is4() {
		for _, b := range ip.As4() {
			labels = append(labels, strconv.Itoa(int(b)))
		}
	} else {
		suffix = "ip6.arpa."
		for _, b := range ip.As16() {
			labels = append(labels, strconv.FormatUint(uint64(b>>4), 16), strconv.FormatUint(uint64(b&15), 16))
		}
	}
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "." + suffix
}

// getent looks hosts up as programs do; there are no other databases. Code 2 is for what is not found.
func getent(t *T) int {
	args := t.Args[1:]
	if len(args) < 2 || args[0] != "hosts" && args[0] != "ahosts" && args[0] != "ahostsv4" {
		return t.usage("hosts NAME...")
	}
	if t.Net == nil {
		t.fail("no network")
		return 2
	}
	code := 0
	for _, name := range args[1:] {
		addrs, err := t.Net.LookupHost(t.ctx, name)
		if err != nil || len(addrs) == 0 {
			code = 2
			continue
		}
		for _, addr := range addrs {
			t.printf("%-15s %s\n", addr, name)
		}
	}
	return code
}

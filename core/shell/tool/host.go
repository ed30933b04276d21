package tool

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tabernetes/tabernetes/core/program/dnsclient"
)

func init() { tools["host"] = host }

// hostSentences are BIND's words for what a record says.
var hostSentences = map[dnsmessage.Type]string{
	dnsmessage.TypeA: "has address", dnsmessage.TypeAAAA: "has IPv6 address", dnsmessage.TypeCNAME: "is an alias for",
	dnsmessage.TypePTR: "domain name pointer", dnsmessage.TypeSRV: "has SRV record", dnsmessage.TypeTXT: "descriptive text",
	dnsmessage.TypeNS: "name server", dnsmessage.TypeSOA: "has SOA record",
}

// host asks name servers and prints sentences, as BIND's does: of a name its addresses, of an address its name.
func host(t *T) int {
	var args []string
	kinds := []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA, dnsmessage.TypeMX}
	for rest := t.Args[1:]; len(rest) > 0; rest = rest[1:] {
		switch {
		case rest[0] == "-t" && len(rest) > 1:
			kind, ok := recordTypes[strings.ToUpper(rest[1])]
			if !ok {
				t.fail("invalid type: %s", rest[1])
				return 2
			}
			kinds, rest = []dnsmessage.Type{kind}, rest[1:]
		case strings.HasPrefix(rest[0], "-"): // how long, how often, by which family: all the same here
		default:
			args = append(args, rest[0])
		}
	}
	if len(args) == 0 || len(args) > 2 {
		return t.usage("[-t TYPE] NAME [SERVER]")
	}
	if t.Net == nil {
		t.fail("no network")
		return 1
	}
	ctx, cancel := context.WithTimeout(t.ctx, 30*time.Second)
	defer cancel()
	a := t.asker()
	if len(args) == 2 {
		servers, err := t.Net.LookupHost(ctx, args[1])
		if err != nil {
			t.fail("couldn't get address for '%s': not found", args[1])
			return 1
		}
		a.Servers = servers[:1]
		t.printf("Using domain server:\nName: %s\nAddress: %s#53\nAliases: \n\n", args[1], servers[0])
	}
	names, asked := a.Candidates(args[0]), args[0]
	if ip, err := netip.ParseAddr(args[0]); err == nil {
		kinds, names = []dnsmessage.Type{dnsmessage.TypePTR}, []string{reverse(ip)}
		asked = names[0]
	}
	rcode := dnsmessage.RCodeNameError
	for _, name := range names {
		m, err := digFirst(ctx, a, "udp", name, kinds[0])
		if err != nil {
			t.print(";; no servers could be reached\n")
			return 1
		}
		if rcode = m.RCode; rcode != dnsmessage.RCodeSuccess {
			continue
		}
		found := t.hostRecords(m)
		for _, kind := range kinds[1:] {
			if m, err := digFirst(ctx, a, "udp", name, kind); err == nil {
				found += t.hostRecords(m)
			}
		}
		if found == 0 && len(kinds) == 1 {
			t.printf("%s has no %s record\n", strings.TrimSuffix(name, "."), typeName(kinds[0]))
		}
		return 0
	}
	t.printf("Host %s not found: %d(%s)\n", printable(asked), rcode, dnsclient.RCode(rcode))
	return 1
}

// hostRecords prints an answer's records and gives their number.
func (t *T) hostRecords(m dnsmessage.Message) int {
	for _, r := range m.Answers {
		sentence, ok := hostSentences[r.Header.Type]
		if !ok {
			sentence = "has " + typeName(r.Header.Type) + " record"
		}
		t.printf("%s %s %s\n", printable(strings.TrimSuffix(r.Header.Name.String(), ".")), sentence, printable(recordData(r)))
	}
	return len(m.Answers)
}

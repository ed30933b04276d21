package tool

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tabernetes/tabernetes/core/program/dnsclient"
)

// digs is what dig's command line says.
type digs struct {
	name    string
	kind    dnsmessage.Type
	network string
	server  string
	search  bool
	short   bool
	comment bool
	answer  bool
	err     string
}

func digOptions(args []string) digs {
	d := digs{kind: dnsmessage.TypeA, network: "udp", comment: true, answer: true}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case strings.HasPrefix(arg, "@"):
			d.server = arg[1:]
		case strings.HasPrefix(arg, "+"):
			d.plus(arg[1:])
		case arg == "-x" && i+1 < len(args):
			i++
			ip, err := netip.ParseAddr(args[i])
			if err != nil {
				d.err = "invalid IP address " + args[i]
				return d
			}
			d.name, d.kind = reverse(ip), dnsmessage.TypePTR
		case arg == "-t" && i+1 < len(args):
			i++
			d.setType(args[i])
		case arg == "-4" || arg == "-u":
		case strings.HasPrefix(arg, "-"):
			d.err = "invalid option: " + arg
		case d.name != "" && recordTypes[strings.ToUpper(arg)] != 0:
			d.setType(arg)
		case strings.EqualFold(arg, "IN"):
		default:
			d.name = arg
		}
	}
	if d.name == "" && d.err == "" {
		d.err = "no name to look up"
	}
	return d
}

func (d *digs) setType(text string) {
	if d.kind = recordTypes[strings.ToUpper(text)]; d.kind == 0 {
		d.err = "invalid type: " + text
	}
}

// plus is an option of the form "+[no]word"; those that change nothing here are taken as they come.
func (d *digs) plus(option string) {
	word, off := strings.CutPrefix(option, "no")
	switch word {
	case "tcp", "vc":
		d.network = "tcp"
		if off {
			d.network = "udp"
		}
	case "search":
		d.search = !off
	case "short":
		d.short = !off
	case "all":
		d.comment, d.answer = !off, !off
	case "answer":
		d.answer = !off
	case "comments":
		d.comment = !off
	}
}

// dig asks by packet and prints what was answered, in the form of BIND's. Code 9 is for no answer.
func dig(t *T) int {
	d := digOptions(t.Args[1:])
	if d.err != "" {
		t.fail("%s", d.err)
		return 1
	}
	if t.Net == nil {
		t.fail("no network")
		return 9
	}
	ctx, cancel := context.WithTimeout(t.ctx, 30*time.Second)
	defer cancel()
	a := t.asker()
	if d.server != "" {
		servers, err := t.Net.LookupHost(ctx, d.server)
		if err != nil {
			t.fail("couldn't get address for '%s': not found", d.server)
			return 10
		}
		a.Servers = servers[:1]
	}
	names := []string{strings.TrimSuffix(d.name, ".") + "."}
	if d.search {
		names = a.Candidates(d.name)
	}
	var m dnsmessage.Message
	for _, name := range names {
		var err error
		if m, err = digFirst(ctx, a, d.network, name, d.kind); err != nil {
			t.printf(";; communications error to %s#53: %s\n;; no servers could be reached\n", a.Servers[0], netReason(err))
			return 9
		}
		if m.RCode == dnsmessage.RCodeSuccess && len(m.Answers) > 0 {
			break
		}
	}
	t.digPrint(d, m)
	return 0
}

// digFirst is the answer of the first server that gives one, whatever it says.
func digFirst(ctx context.Context, a dnsclient.Asker, network, name string, kind dnsmessage.Type) (m dnsmessage.Message, err error) {
	for _, server := range a.Servers {
		if m, err = a.AskServer(ctx, network, net.JoinHostPort(server, "53"), name, kind); err == nil {
			return m, nil
		}
	}
	return m, err
}

func (t *T) digPrint(d digs, m dnsmessage.Message) {
	if d.short {
		for _, r := range m.Answers {
			t.printf("%s\n", printable(recordData(r)))
		}
		return
	}
	if d.comment {
		t.printf(";; ->>HEADER<<- opcode: QUERY, status: %s, id: %d\n;; flags:%s; QUERY: %d, ANSWER: %d, AUTHORITY: %d, ADDITIONAL: %d\n\n",
			dnsclient.RCode(m.RCode), m.ID, digFlags(m.Header), len(m.Questions), len(m.Answers), len(m.Authorities), len(m.Additionals))
		t.print(";; QUESTION SECTION:\n")
		for _, q := range m.Questions {
			t.printf(";%s\n\n", columns(32, printable(q.Name.String()), "IN", typeName(q.Type)))
		}
	}
	sections := []struct {
		name    string
		records []dnsmessage.Resource
	}{{"ANSWER", m.Answers}, {"AUTHORITY", m.Authorities}}
	if !d.comment {
		sections = sections[:1] // +noall +answer
	}
	for _, section := range sections {
		if !d.answer || len(section.records) == 0 {
			continue
		}
		if d.comment {
			t.printf(";; %s SECTION:\n", section.name)
		}
		for _, r := range section.records {
			h := r.Header
			t.printf("%s\n", columns(24, printable(h.Name.String()), strconv.FormatUint(uint64(h.TTL), 10), "IN", typeName(h.Type), printable(recordData(r))))
		}
		if d.comment {
			t.print("\n")
		}
	}
}

// digFlags are a header's, as dig names them.
func digFlags(h dnsmessage.Header) string {
	var set strings.Builder
	for _, flag := range []struct {
		name string
		on   bool
	}{
		{"qr", h.Response}, {"aa", h.Authoritative}, {"tc", h.Truncated}, {"rd", h.RecursionDesired},
		{"ra", h.RecursionAvailable}, {"ad", h.AuthenticData}, {"cd", h.CheckingDisabled},
	} {
		if flag.on {
			set.WriteString(" " + flag.name)
		}
	}
	return set.String()
}

// columns are a record's parts as BIND aligns them: the second begins at column second, each further one 8 later,
// by tabs; after one that is too long for that a space stands (lib/dns/masterdump.c, indent).
func columns(second int, parts ...string) string {
	const tab = 8
	var line strings.Builder
	at := 0
	for i, part := range parts {
		if to := max(second+(i-1)*tab, at+1); i > 0 {
			tabs := to/tab - at/tab
			if tabs > 0 {
				at = to / tab * tab
			}
			line.WriteString(strings.Repeat("\t", tabs) + strings.Repeat(" ", to-at))
			at = to
		}
		line.WriteString(part)
		at += len(part)
	}
	return line.String()
}

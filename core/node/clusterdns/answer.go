package clusterdns

import (
	"golang.org/x/net/dns/dnsmessage"
)

// ttl is how long an answer may be kept, in seconds: that of kubeadm's CoreDNS.
const ttl = 30

// Bounds of an answer by datagram, in bytes: without EDNS0, and with it at most.
const (
	plainAnswer = 512
	maxAnswer   = 1232
	maxStream   = 1<<16 - 1
)

// Answer answers a message of at most limit bytes; nil for one that is not answered because it is no
// question. limit 0 is that of a datagram.
func (r *Resolver) Answer(message []byte, limit int) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(message)
	if err != nil || h.Response {
		return nil
	}
	reply := dnsmessage.Header{ID: h.ID, Response: true, OpCode: h.OpCode, RecursionDesired: h.RecursionDesired}
	if h.OpCode != 0 {
		reply.RCode = dnsmessage.RCodeNotImplemented
		return pack(reply, nil, nil, nil, false)
	}
	q, err := p.Question()
	if err != nil {
		reply.RCode = dnsmessage.RCodeFormatError
		return pack(reply, nil, nil, nil, false)
	}
	if _, err := p.Question(); err != dnsmessage.ErrSectionDone { //nolint:errorlint // as dnsmessage's documentation has it
		reply.RCode = dnsmessage.RCodeFormatError
		return pack(reply, nil, nil, nil, false)
	}
	size, extended := payload(&p)
	if limit == 0 {
		limit = size
	}
	if q.Class != dnsmessage.ClassINET {
		reply.RCode = dnsmessage.RCodeRefused
		return pack(reply, &q, nil, nil, extended)
	}
	reply.Authoritative = true
	records, exists := r.lookup(q.Name.String(), q.Type)
	if !exists {
		reply.RCode = dnsmessage.RCodeNameError
	}
	var authority []dnsmessage.Resource
	if len(records) == 0 {
		authority = r.authority()
	}
	answer := pack(reply, &q, resources(q, records), authority, extended)
	if len(answer) > limit {
		reply.Truncated = true
		answer = pack(reply, &q, nil, nil, extended)
	}
	return answer
}

// payload is how long an answer by datagram may be, and whether the question is of EDNS0.
func payload(p *dnsmessage.Parser) (size int, extended bool) {
	if p.SkipAllAnswers() != nil || p.SkipAllAuthorities() != nil {
		return plainAnswer, false
	}
	for {
		h, err := p.AdditionalHeader()
		if err != nil {
			return plainAnswer, false
		}
		if h.Type == dnsmessage.TypeOPT {
			return min(max(int(h.Class), plainAnswer), maxAnswer), true
		}
		if p.SkipAdditional() != nil {
			return plainAnswer, false
		}
	}
}

// resources are records as they stand in a message. The question's name is spelled as it was asked.
func resources(q dnsmessage.Question, records []record) (list []dnsmessage.Resource) {
	for i, r := range records {
		name := q.Name
		if i > 0 && r.owner != records[0].owner {
			var err error
			if name, err = dnsmessage.NewName(r.owner); err != nil {
				continue
			}
		}
		list = append(list, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: name, Class: dnsmessage.ClassINET, TTL: ttl}, Body: r.body,
		})
	}
	return list
}

// authority says how long it may be kept that there is nothing.
func (r *Resolver) authority() []dnsmessage.Resource {
	zone, err := dnsmessage.NewName(r.zone)
	if err != nil {
		return nil
	}
	soa := &dnsmessage.SOAResource{
		NS: dnsmessage.MustNewName("ns.dns." + r.zone), MBox: dnsmessage.MustNewName("hostmaster." + r.zone),
		Serial: 1, Refresh: 7200, Retry: 1800, Expire: 86400, MinTTL: ttl,
	}
	return []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: zone, Class: dnsmessage.ClassINET, TTL: ttl}, Body: soa}}
}

// pack makes a message; one that cannot be made is a failure of the server's.
func pack(h dnsmessage.Header, q *dnsmessage.Question, answers, authority []dnsmessage.Resource, extended bool) []byte {
	m := dnsmessage.Message{Header: h, Answers: answers, Authorities: authority}
	if q != nil {
		m.Questions = []dnsmessage.Question{*q}
	}
	if extended {
		var opt dnsmessage.ResourceHeader
		if opt.SetEDNS0(maxAnswer, dnsmessage.RCodeSuccess, false) == nil {
			m.Additionals = []dnsmessage.Resource{{Header: opt, Body: &dnsmessage.OPTResource{}}}
		}
	}
	b, err := m.Pack()
	if err == nil && len(b) <= maxStream {
		return b
	}
	h.RCode = dnsmessage.RCodeServerFailure
	b, _ = (&dnsmessage.Message{Header: h, Questions: m.Questions}).Pack() // what came in fits out again
	return b
}

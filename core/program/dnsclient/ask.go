package dnsclient

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// maxAnswer is how long an answer by datagram may be, in bytes, as a question says it
// (https://www.dnsflagday.net/2020/).
const maxAnswer = 1232

// Dial makes a connection; program.Network has one.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Asker asks over a network.
type Asker struct {
	Dial Dial
	Config
}

// Ask asks the servers in turn for a fully qualified name and gives the first answer that says whether
// the name exists. The error is a *net.DNSError that is temporary if no server said so.
func (a Asker) Ask(ctx context.Context, name string, kind dnsmessage.Type) (dnsmessage.Message, error) {
	var last error
	for range a.Attempts {
		for _, server := range a.Servers {
			m, err := a.AskServer(ctx, "udp", net.JoinHostPort(server, "53"), name, kind)
			if err == nil && m.RCode != dnsmessage.RCodeSuccess && m.RCode != dnsmessage.RCodeNameError {
				err = fmt.Errorf("server %s answered %s", server, RCode(m.RCode))
			}
			if err == nil {
				return m, nil
			}
			if last = err; ctx.Err() != nil {
				break
			}
		}
	}
	return dnsmessage.Message{}, &net.DNSError{
		Err: fmt.Sprintf("no name server answers: %v", last), UnwrapErr: last, Name: strings.TrimSuffix(name, "."), IsTemporary: true,
	}
}

// AskServer asks one server ("host:port"), by "udp", after which it asks by TCP if the answer was cut
// short, or by "tcp".
func (a Asker) AskServer(ctx context.Context, network, server, name string, kind dnsmessage.Type) (dnsmessage.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	n, err := dnsmessage.NewName(name)
	if err != nil {
		return dnsmessage.Message{}, fmt.Errorf("name %q: %w", cut(name), err)
	}
	q := dnsmessage.Question{Name: n, Type: kind, Class: dnsmessage.ClassINET}
	m, err := a.exchange(ctx, network, server, q)
	if err == nil && m.Truncated && network == "udp" {
		m, err = a.exchange(ctx, "tcp", server, q)
	}
	return m, err
}

func (a Asker) exchange(ctx context.Context, network, server string, q dnsmessage.Question) (dnsmessage.Message, error) {
	var m dnsmessage.Message
	id := uint16(rand.Uint32())
	question, err := pack(id, q)
	if err != nil {
		return m, err
	}
	c, err := a.Dial(ctx, network, server)
	if err != nil {
		return m, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })()
	receive := func() ([]byte, error) {
		buf := make([]byte, 1<<16)
		n, err := c.Read(buf)
		return buf[:n], err
	}
	if network == "tcp" {
		question = append(binary.BigEndian.AppendUint16(nil, uint16(len(question))), question...)
		receive = func() ([]byte, error) { return readStream(c) }
	}
	if _, err := c.Write(question); err != nil {
		return m, err
	}
	for {
		answer, err := receive()
		if err != nil {
			return m, err
		}
		if err = m.Unpack(answer); err == nil && answers(m, id, q) {
			return m, nil
		}
		if network == "tcp" {
			return m, fmt.Errorf("server %s answered no message to this question: %w", server, errors.Join(err, io.ErrUnexpectedEOF))
		}
		// Anybody can send a datagram: the answer may still come.
	}
}

// pack makes a question that says how long an answer may be.
func pack(id uint16, q dnsmessage.Question) ([]byte, error) {
	var h dnsmessage.ResourceHeader
	if err := h.SetEDNS0(maxAnswer, dnsmessage.RCodeSuccess, false); err != nil {
		return nil, err
	}
	m := dnsmessage.Message{
		Header: dnsmessage.Header{ID: id, RecursionDesired: true}, Questions: []dnsmessage.Question{q},
		Additionals: []dnsmessage.Resource{{Header: h, Body: &dnsmessage.OPTResource{}}},
	}
	return m.Pack()
}

func answers(m dnsmessage.Message, id uint16, q dnsmessage.Question) bool {
	return m.ID == id && m.Response && len(m.Questions) == 1 && m.Questions[0].Type == q.Type &&
		strings.EqualFold(m.Questions[0].Name.String(), q.Name.String())
}

// readStream reads one message of a TCP connection (RFC 1035, 4.2.2).
func readStream(r io.Reader) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	message := make([]byte, binary.BigEndian.Uint16(size[:]))
	_, err := io.ReadFull(r, message)
	return message, err
}

// Addresses are those that an answer has.
func Addresses(m dnsmessage.Message) (list []netip.Addr) {
	for _, r := range m.Answers {
		switch body := r.Body.(type) {
		case *dnsmessage.AResource:
			list = append(list, netip.AddrFrom4(body.A))
		case *dnsmessage.AAAAResource:
			list = append(list, netip.AddrFrom16(body.AAAA))
		}
	}
	return list
}

// RCode is a response code as dig prints it.
func RCode(c dnsmessage.RCode) string {
	switch c {
	case dnsmessage.RCodeSuccess:
		return "NOERROR"
	case dnsmessage.RCodeFormatError:
		return "FORMERR"
	case dnsmessage.RCodeServerFailure:
		return "SERVFAIL"
	case dnsmessage.RCodeNameError:
		return "NXDOMAIN"
	case dnsmessage.RCodeNotImplemented:
		return "NOTIMP"
	case dnsmessage.RCodeRefused:
		return "REFUSED"
	}
	return fmt.Sprintf("RESERVED%d", uint16(c))
}

// cut bounds a name in an error.
func cut(name string) string { return name[:min(len(name), 260)] }

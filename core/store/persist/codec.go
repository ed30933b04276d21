package persist

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// Kinds of content beside mvcc's entries. The numbers are stored: they never change.
const (
	kindJournal  = 'J' // first of a journal: the revision it begins after
	kindSnapshot = 'S' // first of a snapshot: its revision
	kindLeases   = 'L' // leases of a snapshot
	kindKVs      = 'K' // keys of a snapshot
	kindSynced   = 'M' // before an entry: how much of the file was on disk when it was written
	kindReserved = 'R' // of the file of revisions: up to which they may have been given out
	kindEnd      = 'E' // last of a snapshot: how many keys and leases it has
)

// Numbers are unsigned varints, strings their length and bytes.

const flagDelete = 1

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendEntry appends an entry's content.
func appendEntry(b []byte, e *mvcc.Entry) []byte {
	b = append(b, byte(e.Kind))
	switch e.Kind {
	case mvcc.EntryGrant:
		return appendLease(b, e.Lease)
	case mvcc.EntryRevoke:
		return binary.AppendUvarint(b, uint64(e.Lease.ID))
	case mvcc.EntryBump:
		return binary.AppendUvarint(b, uint64(e.Record.Rev))
	}
	b = binary.AppendUvarint(b, uint64(e.Record.Rev))
	b = binary.AppendUvarint(b, uint64(len(e.Record.Changes)))
	for i := range e.Record.Changes {
		c := &e.Record.Changes[i]
		if c.Delete {
			b = appendString(append(b, flagDelete), c.KV.Key)
			continue
		}
		b = appendKV(append(b, 0), &c.KV, false)
	}
	return b
}

func appendLease(b []byte, l mvcc.LeaseGrant) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(l.ID)), uint64(l.TTL))
}

// appendKV appends a version; its own revision only if it is not the record's.
func appendKV(b []byte, kv *mvcc.KV, withMod bool) []byte {
	b = appendString(b, kv.Key)
	b = binary.AppendUvarint(b, uint64(kv.CreateRevision))
	if withMod {
		b = binary.AppendUvarint(b, uint64(kv.ModRevision))
	}
	b = binary.AppendUvarint(b, uint64(kv.Version))
	b = binary.AppendUvarint(b, uint64(kv.Lease))
	return appendString(b, kv.Value)
}

// errContent is for content that a right checksum belongs to and that is not ours.
var errContent = errors.New("persist: the content cannot be read")

// parser takes content apart. After the first error all it returns is zero.
type parser struct {
	rest string
	err  error
}

func (p *parser) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: %s", errContent, what)
	}
	p.rest = ""
}

func (p *parser) byte() byte {
	if p.rest == "" {
		p.fail("it ends early")
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// number reads a number that fits an int64, in the one form that is written.
func (p *parser) number() int64 {
	var v uint64
	for i := range binary.MaxVarintLen64 {
		c := p.byte()
		if p.err != nil {
			return 0
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if i == binary.MaxVarintLen64-1 || c == 0 && i > 0 {
				break
			}
			return int64(v)
		}
	}
	p.fail("a number is too large, or longer than it must be")
	return 0
}

// string returns a part of the content.
func (p *parser) string() string {
	n := p.number()
	if n > int64(len(p.rest)) {
		p.fail("a string is longer than what is left")
		return ""
	}
	s := p.rest[:n]
	p.rest = p.rest[n:]
	return s
}

// done fails if something is left.
func (p *parser) done() error {
	if p.rest != "" {
		p.fail("more follows")
	}
	return p.err
}

func (p *parser) lease() mvcc.LeaseGrant { return mvcc.LeaseGrant{ID: p.number(), TTL: p.number()} }

// kv reads a version. mod is its own revision, 0 if it is written, too.
func (p *parser) kv(mod int64) mvcc.KV {
	kv := mvcc.KV{Key: p.string(), CreateRevision: p.number(), ModRevision: mod}
	if mod == 0 {
		kv.ModRevision = p.number()
	}
	kv.Version, kv.Lease, kv.Value = p.number(), p.number(), p.string()
	return kv
}

// parseEntry is the inverse of appendEntry.
func parseEntry(content string) (e mvcc.Entry, err error) {
	p := parser{rest: content}
	e.Kind = mvcc.EntryKind(p.byte())
	switch e.Kind {
	case mvcc.EntryGrant:
		e.Lease = p.lease()
	case mvcc.EntryRevoke:
		e.Lease.ID = p.number()
	case mvcc.EntryRevision:
		e.Record = p.record()
	case mvcc.EntryBump:
		e.Record.Rev = p.number()
	default:
		p.fail(fmt.Sprintf("it is of unknown kind %d", e.Kind))
	}
	return e, p.done()
}

func (p *parser) record() mvcc.Record {
	r := mvcc.Record{Rev: p.number()}
	n := p.number()
	if n == 0 || n > int64(len(p.rest)) || r.Rev == 0 {
		p.fail("a revision without number or changes")
		return r
	}
	for range n {
		var c mvcc.Change
		switch p.byte() {
		case 0:
			c.KV = p.kv(r.Rev)
		case flagDelete:
			c.Delete, c.KV = true, mvcc.KV{Key: p.string(), ModRevision: r.Rev}
		default:
			p.fail("a change is neither put nor delete")
		}
		if p.err != nil {
			break
		}
		r.Changes = append(r.Changes, c)
	}
	return r
}

package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// A file of checkpoints is this, and then a record for each: the length of what it says, what it says, and a checksum of that.
// A record has what changed since the one before it, the first one all there is, so that what is the same in many is there once.
const magic = "tnpoint\x01"

const around = 4 + 4 // bytes of a record's length and checksum

// maxRecords is how many a file has at most; beyond that it is written anew, with those that there still are.
const maxRecords = 2 * (MaxCount + MaxSteps)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// said is what a record says of its checkpoint beside its keys.
type said struct {
	ID       int       `json:"id"`
	Time     time.Time `json:"time"`
	Why      string    `json:"why"`
	Asked    bool      `json:"asked"`
	Of       string    `json:"of,omitempty"`
	Revision int64     `json:"revision"`
}

// recordSize is the length of the record that leads from one list to the next, at most: its numbers may be shorter.
func recordSize(then, p *Checkpoint) int64 {
	n := int64(around + 256 + 4*len(p.Why) + 4*len(p.Of))
	for before, kv := range changed(listOf(then), p.kvs) {
		switch {
		case kv == nil:
			n += int64(len(before.Key)) + binary.MaxVarintLen64
		default:
			n += int64(len(kv.Key)+len(kv.Value)) + 5*binary.MaxVarintLen64
		}
	}
	return n
}

func listOf(p *Checkpoint) []mvcc.KV {
	if p == nil {
		return nil
	}
	return p.kvs
}

// putRecord writes the record that leads from the checkpoint before, nil for the first one.
func putRecord(out *writer, then, p *Checkpoint) error {
	text, err := json.Marshal(said{p.ID, p.Time, p.Why, p.Asked, p.Of, p.Revision})
	if err != nil {
		return err
	}
	var gone []string
	var kvs []*mvcc.KV
	for before, kv := range changed(listOf(then), p.kvs) {
		if kv == nil {
			gone = append(gone, before.Key)
		} else {
			kvs = append(kvs, kv)
		}
	}
	size := lengthOf(string(text)) + number(int64(len(gone))) + number(int64(len(kvs)))
	for _, key := range gone {
		size += lengthOf(key)
	}
	for _, kv := range kvs {
		size += lengthOf(kv.Key) + lengthOf(kv.Value) + number(kv.CreateRevision) + number(kv.ModRevision) + number(kv.Version)
	}
	if size > MaxFile {
		return errTooLarge
	}
	out.put(binary.LittleEndian.AppendUint32(nil, uint32(size)))
	out.sum = 0
	out.text(string(text))
	out.number(int64(len(gone)))
	for _, key := range gone {
		out.text(key)
	}
	out.number(int64(len(kvs)))
	for _, kv := range kvs {
		out.text(kv.Key)
		out.text(kv.Value)
		for _, n := range []int64{kv.CreateRevision, kv.ModRevision, kv.Version} {
			out.number(n)
		}
	}
	out.put(binary.LittleEndian.AppendUint32(nil, out.sum))
	return out.err
}

func number(n int64) int { return len(binary.AppendVarint(nil, n)) }

func lengthOf(text string) int { return number(int64(len(text))) + len(text) }

var (
	errTooLarge = fmt.Errorf("one moment of this cluster alone has more than the %d MB that are kept", MaxFile>>20)
	errTorn     = errors.New("a part of it is torn or was altered")
	errVersion  = errors.New("it was written by another version of Tabernetes")
)

// readRecords reads as many checkpoints as are whole; beyond that the error says what is wrong. known may replace what is read
// of a key, by what has it already.
func (in registry) readRecords(file []byte, known func(*mvcc.KV)) ([]*Checkpoint, error) {
	if len(file) < len(magic) || string(file[:len(magic)-1]) != magic[:len(magic)-1] {
		return nil, errTorn
	}
	if file[len(magic)-1] != magic[len(magic)-1] {
		return nil, errVersion
	}
	rest := file[len(magic):]
	var all []*Checkpoint
	var last *Checkpoint
	for len(rest) > 0 {
		// Each has a list of all keys in memory: more than we ever write are not read.
		if len(rest) < around || len(all) == maxRecords {
			return all, errTorn
		}
		size := int64(binary.LittleEndian.Uint32(rest))
		if size > int64(len(rest)-around) {
			return all, errTorn
		}
		text := rest[4 : 4+size]
		if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(rest[4+size:]) {
			return all, errTorn
		}
		p, err := in.readRecord(text, last, known)
		if err != nil {
			return all, err
		}
		all, last, rest = append(all, p), p, rest[around+size:]
	}
	return all, nil
}

func (in registry) readRecord(text []byte, then *Checkpoint, known func(*mvcc.KV)) (*Checkpoint, error) {
	r := reader{rest: text}
	var of said
	if err := json.Unmarshal([]byte(r.text()), &of); err != nil || of.ID < 1 || then != nil && of.ID <= then.ID {
		return nil, errTorn
	}
	edits := map[string]*mvcc.KV{}
	for n := r.count(); n > 0 && !r.bad; n-- {
		edits[r.text()] = nil
	}
	var added []mvcc.KV
	for n := r.count(); n > 0 && !r.bad; n-- {
		kv := mvcc.KV{Key: r.text(), Value: r.text(), CreateRevision: r.number(), ModRevision: r.number(), Version: r.number()}
		// What was in no checkpoint that we made is put into no cluster.
		if !in.remembered(kv.Key) || len(added) > 0 && added[len(added)-1].Key >= kv.Key {
			return nil, errTorn
		}
		known(&kv)
		added = append(added, kv)
	}
	if r.bad || len(r.rest) > 0 {
		return nil, errTorn
	}
	for i := range added {
		edits[added[i].Key] = &added[i]
	}
	kvs := make([]mvcc.KV, 0, len(listOf(then))+len(added))
	for _, kv := range listOf(then) {
		if _, edited := edits[kv.Key]; !edited {
			kvs = append(kvs, kv)
		}
	}
	kvs = append(kvs, added...)
	slices.SortFunc(kvs, func(a, b mvcc.KV) int {
		switch {
		case a.Key < b.Key:
			return -1
		case a.Key > b.Key:
			return 1
		}
		return 0
	})
	return &Checkpoint{
		ID: of.ID, Time: of.Time, Why: sentence(of.Why), Asked: of.Asked, Of: sentence(of.Of), Revision: of.Revision, Objects: len(kvs), kvs: kvs,
	}, nil
}

// reader reads what a record says; bad once that is more than there is.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) number() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count is a number of things of which each takes a byte at least.
func (r *reader) count() int64 {
	n := r.number()
	if n < 0 || n > int64(len(r.rest)) {
		r.bad = true
		return 0
	}
	return n
}

func (r *reader) text() string {
	n := r.count()
	text := string(r.rest[:n])
	r.rest = r.rest[n:]
	return text
}

package redis

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Redis' file of all data (github.com/redis/redis, src/rdb.h), in the plain encodings that every version of
// it reads. A file of Redis' own, whose small collections are packed, is refused with a sentence.
const (
	rdbMagic    = "REDIS"
	rdbVersion  = "0009"
	rdbString   = 0
	rdbList     = 1
	rdbSet      = 2
	rdbHash     = 4
	rdbZset     = 5
	rdbAux      = 0xFA
	rdbResize   = 0xFB
	rdbExpireMS = 0xFC
	rdbExpire   = 0xFD
	rdbSelect   = 0xFE
	rdbEnd      = 0xFF
)

// maxDump is the largest file that is read, in bytes.
const maxDump = 64 << 20

// dump is all data.
func (s *server) dump() []byte {
	w := &rdbWriter{}
	w.WriteString(rdbMagic + rdbVersion)
	for i := range databases {
		db := s.mini.DB(i)
		keys := db.Keys()
		if len(keys) == 0 {
			continue
		}
		w.WriteByte(rdbSelect)
		w.length(i)
		for _, k := range keys {
			w.key(db, k)
		}
	}
	w.WriteByte(rdbEnd)
	w.Write(make([]byte, 8)) // no checksum
	return w.Bytes()
}

type rdbWriter struct{ bytes.Buffer }

func (w *rdbWriter) length(n int) {
	switch {
	case n < 1<<6:
		w.WriteByte(byte(n))
	case n < 1<<14:
		w.Write([]byte{0x40 | byte(n>>8), byte(n)})
	default:
		w.WriteByte(0x80)
		w.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
	}
}

func (w *rdbWriter) text(s string) {
	w.length(len(s))
	w.WriteString(s)
}

// key writes a key with what it is; one that has expired meanwhile is left out.
func (w *rdbWriter) key(db *miniredis.RedisDB, k string) {
	ttl := db.TTL(k)
	head := func(kind byte) {
		if ttl > 0 {
			w.WriteByte(rdbExpireMS)
			w.Write(binary.LittleEndian.AppendUint64(nil, uint64(time.Now().Add(ttl).UnixMilli())))
		}
		w.WriteByte(kind)
		w.text(k)
	}
	many := func(kind byte, list []string, err error) {
		if err != nil {
			return
		}
		head(kind)
		w.length(len(list))
		for _, v := range list {
			w.text(v)
		}
	}
	switch db.Type(k) {
	case "string":
		if v, err := db.Get(k); err == nil {
			head(rdbString)
			w.text(v)
		}
	case "list":
		list, err := db.List(k)
		many(rdbList, list, err)
	case "set":
		list, err := db.Members(k)
		many(rdbSet, list, err)
	case "hash":
		if fields, err := db.HKeys(k); err == nil {
			head(rdbHash)
			w.length(len(fields))
			for _, f := range fields {
				w.text(f)
				w.text(db.HGet(k, f))
			}
		}
	case "zset":
		if scores, err := db.SortedSet(k); err == nil {
			head(rdbZset)
			w.length(len(scores))
			for _, m := range slices.Sorted(maps.Keys(scores)) {
				w.text(m)
				w.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(scores[m])))
			}
		}
	}
}

// save writes all data to the file, which is whole or as it was.
func (s *server) save() error {
	name := path.Join(s.path(s.dir), s.file)
	temporary := path.Join(s.path(s.dir), fmt.Sprintf("temp-%d.rdb", s.p.PID))
	f, err := s.p.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(s.dump())
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = s.p.FS.Rename(temporary, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	s.saved.Store(time.Now().Unix())
	s.log('*', "DB saved on disk")
	return nil
}

// load takes up the file if there is one.
func (s *server) load() error {
	name := path.Join(s.path(s.dir), s.file)
	f, err := s.p.FS.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	n, err := s.restore(io.LimitReader(f, maxDump))
	if err != nil {
		return fmt.Errorf("Fatal error loading the DB, check server logs. %s: %w", name, err) //nolint:staticcheck // Redis' words
	}
	s.log('*', "DB loaded from disk: %d keys", n)
	return nil
}

// restore adds the data of a file, and tells how many keys that was.
func (s *server) restore(from io.Reader) (keys int, err error) {
	r := rdbReader{Reader: bufio.NewReader(from)}
	magic := make([]byte, len(rdbMagic)+4)
	if _, err := io.ReadFull(r, magic); err != nil || string(magic[:len(rdbMagic)]) != rdbMagic {
		return 0, errors.New("this is no file of Redis")
	}
	l := s.newLink()
	defer l.close()
	expires := int64(0)
	for {
		op, err := r.ReadByte()
		if err != nil {
			return keys, fmt.Errorf("it ends in the middle: %w", err)
		}
		switch op {
		case rdbEnd:
			return keys, nil
		case rdbSelect:
			var n int
			if n, err = r.length(); err != nil {
				break
			}
			err = l.do("SELECT", strconv.Itoa(n))
		case rdbAux:
			_, e1 := r.text()
			_, e2 := r.text()
			err = errors.Join(e1, e2)
		case rdbResize:
			_, e1 := r.length()
			_, e2 := r.length()
			err = errors.Join(e1, e2)
		case rdbExpireMS:
			err = binary.Read(r, binary.LittleEndian, &expires)
		case rdbExpire:
			var seconds int32
			err = binary.Read(r, binary.LittleEndian, &seconds)
			expires = int64(seconds) * 1000
		default:
			var args []string
			if args, err = r.value(op); err == nil {
				keys++
				err = l.restore(args, expires)
			}
			expires = 0
		}
		if err != nil {
			return keys, err
		}
	}
}

// restore makes a key, unless it has expired.
func (l *link) restore(args []string, expires int64) error {
	if len(args) < 3 || expires > 0 && expires <= time.Now().UnixMilli() {
		return nil
	}
	if err := l.do(args...); err != nil || expires == 0 {
		return err
	}
	return l.do("PEXPIREAT", args[1], strconv.FormatInt(expires, 10))
}

var errDamaged = errors.New("the file is damaged")

type rdbReader struct{ *bufio.Reader }

func (r rdbReader) length() (int, error) {
	b, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	switch b >> 6 {
	case 0:
		return int(b), nil
	case 1:
		low, err := r.ReadByte()
		return int(b&0x3f)<<8 | int(low), err
	}
	if b != 0x80 {
		return 0, errDamaged
	}
	var n uint32
	if err := binary.Read(r, binary.BigEndian, &n); err != nil || n > maxDump {
		return 0, errors.Join(err, errDamaged)
	}
	return int(n), nil
}

func (r rdbReader) text() (string, error) {
	b, err := r.Peek(1)
	if err != nil {
		return "", err
	}
	if b[0]>>6 == 3 { // a number in so many bytes
		_, _ = r.Discard(1)
		size := map[byte]int{0xC0: 1, 0xC1: 2, 0xC2: 4}[b[0]]
		data := make([]byte, 8)
		if size == 0 {
			return "", errors.New("a packed text, which this tab's redis does not read")
		}
		if _, err := io.ReadFull(r, data[:size]); err != nil {
			return "", err
		}
		n := int64(binary.LittleEndian.Uint64(data))
		return strconv.FormatInt(n<<(64-8*size)>>(64-8*size), 10), nil
	}
	n, err := r.length()
	if err != nil {
		return "", err
	}
	// Not all at once: a file may lie about its length.
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, int64(n)); err != nil {
		return "", err
	}
	return data.String(), nil
}

// value reads a key and what it is, as the command that makes it.
func (r rdbReader) value(kind byte) ([]string, error) {
	name, ok := map[byte]string{rdbString: "SET", rdbList: "RPUSH", rdbSet: "SADD", rdbHash: "HSET", rdbZset: "ZADD"}[kind]
	if !ok {
		return nil, fmt.Errorf("a value in the encoding %d, which this tab's redis does not read", kind)
	}
	k, err := r.text()
	if err != nil {
		return nil, err
	}
	args := []string{name, k}
	n := 1
	if kind != rdbString {
		if n, err = r.length(); err != nil {
			return nil, err
		}
	}
	for range n {
		v, err := r.text()
		if err != nil {
			return nil, err
		}
		switch kind {
		case rdbHash:
			w, err := r.text()
			if err != nil {
				return nil, err
			}
			args = append(args, v, w)
		case rdbZset:
			var bits uint64
			if err := binary.Read(r, binary.LittleEndian, &bits); err != nil {
				return nil, err
			}
			args = append(args, strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64), v)
		default:
			args = append(args, v)
		}
	}
	return args, nil
}

// count is what all data takes, in bytes, as grows has it.
func (s *server) count() int64 { return int64(len(s.dump())) + s.keys()*perItem }

func (s *server) keys() (n int64) {
	for i := range databases {
		n += int64(len(s.mini.DB(i).Keys()))
	}
	return n
}

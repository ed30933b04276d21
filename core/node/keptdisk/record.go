package keptdisk

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
)

// magic begins each file; its last byte is the version of the format.
const magic = "TbrDisk\x01"

// Kinds of records. The numbers are stored: they never change.
const (
	kindDir    = 'D' // a directory
	kindFile   = 'F' // a file: its mode and size; what lies behind the size is gone
	kindChunk  = 'C' // bytes of a file, from offset on
	kindLink   = 'L' // a symbolic link; data is where it leads
	kindOwner  = 'O' // whose it is: size is the user, offset the group; before the first it is root's
	kindRemove = 'X' // what was at path is gone, with all below it
	kindWhole  = 'E' // all that there was when this file was begun stands before it
)

// record is one change of a disk. Which fields count is told by kind.
type record struct {
	kind         byte
	path         string // relative, with slashes
	mode         fs.FileMode
	size, offset int64 // in bytes, but for kindOwner
	data         []byte
}

// recordHeader is the length of what follows and the CRC-32C of both, 4 bytes each, little-endian.
const recordHeader = 8

// maxContent is the most that follows a header: a chunk and a path.
const maxContent = chunkSize + maxPath + 64

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errTorn = errors.New("it ends within a record, or the record is damaged")

// append appends the record to b.
func (r record) append(b []byte) []byte {
	start := len(b)
	b = append(b, make([]byte, recordHeader)...)
	b = append(b, r.kind)
	b = binary.AppendUvarint(b, uint64(len(r.path)))
	b = append(b, r.path...)
	b = binary.AppendUvarint(b, uint64(r.mode))
	b = binary.AppendUvarint(b, uint64(r.size))
	b = binary.AppendUvarint(b, uint64(r.offset))
	b = append(b, r.data...)
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-recordHeader))
	binary.LittleEndian.PutUint32(b[start+4:], checksum(b[start:]))
	return b
}

func checksum(record []byte) uint32 {
	sum := crc32.Checksum(record[:4], castagnoli)
	return crc32.Update(sum, castagnoli, record[recordHeader:])
}

// parse reads the first record of b and how long it is. Its data is a part of b.
func parse(b []byte) (r record, length int, err error) {
	if len(b) < recordHeader {
		return r, 0, errTorn
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n == 0 || n > maxContent || n > int64(len(b)-recordHeader) {
		return r, 0, errTorn
	}
	length = recordHeader + int(n)
	if checksum(b[:length]) != binary.LittleEndian.Uint32(b[4:]) {
		return r, 0, errTorn
	}
	r.kind, b = b[recordHeader], b[recordHeader+1:length]
	number := func() int64 {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > 1<<62 {
			err = errTorn
			return 0
		}
		b = b[n:]
		return int64(v)
	}
	if n := number(); err == nil && n <= int64(len(b)) {
		r.path, b = string(b[:n]), b[n:]
	} else {
		return r, 0, errTorn
	}
	r.mode, r.size, r.offset = fs.FileMode(number()), number(), number()
	r.data = b
	return r, length, err
}

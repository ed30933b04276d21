package persist

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A frame is
//
//	length of the content   4 bytes, little-endian
//	CRC-32C of the content  4 bytes
//	CRC-32C of the 8 above  4 bytes: a wrong length must not look like a torn end
//	content                 at least 1 byte, the first tells its kind
//	padding                 1 to 8 bytes of 0xff, so that the next begins at a
//	                        multiple of 8 and no frame ends in a zero
const (
	frameHeader = 12
	frameAlign  = 8
	padByte     = 0xff
)

// magic begins every file; the last byte is the version of the format. Its length
// is a multiple of frameAlign.
const magic = "Tbrnets\x01"

// sector is the least that a disk writes at once: of a write that power ended,
// some sectors are as written and some zero.
const sector = 512

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameSize is the length of a frame with so much content.
func frameSize(content int64) int64 {
	return (frameHeader + content + frameAlign) / frameAlign * frameAlign
}

// beginFrame makes room for a frame's header; what is appended then is content.
func beginFrame(b []byte) []byte { return append(b, make([]byte, frameHeader)...) }

// endFrame completes the frame that begins at start.
func endFrame(b []byte, start int) []byte {
	content := b[start+frameHeader:]
	h := b[start:]
	binary.LittleEndian.PutUint32(h[0:], uint32(len(content)))
	binary.LittleEndian.PutUint32(h[4:], crc32.Checksum(content, castagnoli))
	binary.LittleEndian.PutUint32(h[8:], crc32.Checksum(h[:8], castagnoli))
	for end := start + int(frameSize(int64(len(content)))); len(b) < end; {
		b = append(b, padByte)
	}
	return b
}

// Errors of a frameReader, beside those of the file itself.
var (
	// errTorn says that what follows was never completely written.
	errTorn = errors.New("persist: torn end")
	// errDamaged says that what follows was written and is not as it was.
	errDamaged = errors.New("persist: damaged")
)

// frameReader reads a file from its beginning.
type frameReader struct {
	file   io.ReaderAt
	size   int64
	offset int64 // of the next frame
	buf    *bufio.Reader
	frames int  // that were read
	marks  bool // whether one of them was a mark
}

// ErrNewer says that a file is of a later format. It is no damage: nothing is repaired, and the files stay as they are.
var ErrNewer = errors.New("a newer version of Tabernetes wrote it, in a format that this one does not know: open it with that version; nothing of it was changed")

// Newer is whether a file that begins so is of a later format than one with this magic number, whose last byte is its version.
func Newer(beginning, magic string) bool {
	last := len(magic) - 1
	return len(beginning) > last && beginning[:last] == magic[:last] && beginning[last] > magic[last]
}

// newFrameReader checks the magic number. It fails with errTorn if the file ends
// within it, with ErrNewer if it is of a later format.
func newFrameReader(f io.ReaderAt, size int64) (*frameReader, error) {
	r := &frameReader{file: f, size: size, buf: bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 64<<10)}
	got := make([]byte, min(size, int64(len(magic))))
	if _, err := io.ReadFull(r.buf, got); err != nil {
		return r, err
	}
	switch {
	case len(got) < len(magic) || allZero(got) && r.restIsLost():
		return r, errTorn
	case Newer(string(got), magic):
		return r, ErrNewer
	case string(got) != magic:
		return r, fmt.Errorf("%w: it does not begin as a file of this format and version does", errDamaged)
	}
	r.offset = int64(len(magic))
	return r, nil
}

// next returns the next frame's content, which is the caller's. At the end of the
// file it fails with io.EOF; otherwise with errTorn, with an errDamaged that says
// what is wrong, or with an error of the file. offset then stays. A mark of what was
// on disk belongs to the frame behind it.
func (r *frameReader) next() ([]byte, error) {
	begin := r.offset
	content, err := r.frame()
	if err == nil && content[0] == kindSynced {
		r.marks = true
		if content, err = r.frame(); errors.Is(err, io.EOF) {
			err = errTorn
		}
	}
	if err != nil {
		r.offset = begin
		return nil, err
	}
	r.frames++
	return content, nil
}

func (r *frameReader) frame() ([]byte, error) {
	rest := r.size - r.offset
	if rest == 0 {
		return nil, io.EOF
	}
	if rest < frameHeader {
		return nil, errTorn
	}
	var h [frameHeader]byte
	if _, err := io.ReadFull(r.buf, h[:]); err != nil {
		return nil, err
	}
	length, sum, ok := parseHeader(h[:])
	if !ok {
		return nil, r.tornOr("the header of a record")
	}
	if frameSize(length) > rest {
		return nil, errTorn // the length is as it was written
	}
	body := make([]byte, frameSize(length)-frameHeader)
	if _, err := io.ReadFull(r.buf, body); err != nil {
		return nil, err
	}
	content, pad := body[:length], body[length:]
	if crc32.Checksum(content, castagnoli) != sum {
		return nil, r.tornOr("the content of a record")
	}
	for _, p := range pad {
		if p != padByte {
			return nil, r.tornOr("the padding of a record")
		}
	}
	r.offset += frameSize(length)
	return content, nil
}

func parseHeader(h []byte) (length int64, sum uint32, ok bool) {
	length = int64(binary.LittleEndian.Uint32(h[0:]))
	sum = binary.LittleEndian.Uint32(h[4:])
	return length, sum, length > 0 && crc32.Checksum(h[:8], castagnoli) == binary.LittleEndian.Uint32(h[8:])
}

// tornOr tells a write that power ended from damage.
func (r *frameReader) tornOr(what string) error {
	if r.restIsLost() {
		return errTorn
	}
	return fmt.Errorf("%w: the checksum of %s does not fit", errDamaged, what)
}

// mark appends a frame that says how much of the file is on disk.
func mark(b []byte, synced int64) []byte {
	start := len(b)
	return endFrame(binary.AppendUvarint(append(beginFrame(b), kindSynced), uint64(synced)), start)
}

// marked is what a mark says; 0 of any other content.
func marked(content []byte) int64 {
	if content[0] != kindSynced {
		return 0
	}
	synced, _ := binary.Uvarint(content[1:])
	return int64(synced)
}

// restIsLost tells whether a write that power ended explains what is from offset
// on: a sector of it is all zero, and no mark behind it says that it was on disk.
// Frames may be whole behind it: several writers share a flush, and power that ends
// before it takes any sector of what they wrote. In a file without marks (SyncNever)
// nobody knows, and a whole frame behind it is taken for damage before it.
func (r *frameReader) restIsLost() bool {
	rest := make([]byte, r.size-r.offset)
	if _, err := r.file.ReadAt(rest, r.offset); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	lost := false
	for from := int64(0); from < int64(len(rest)); {
		to := min(from+sector-(r.offset+from)%sector, int64(len(rest)))
		lost = lost || allZero(rest[from:to])
		from = to
	}
	if !lost {
		return false
	}
	for at := frameAlign; at+frameHeader <= len(rest); at += frameAlign {
		length, sum, ok := parseHeader(rest[at:])
		body := rest[at+frameHeader:]
		if ok && length <= int64(len(body)) && crc32.Checksum(body[:length], castagnoli) == sum &&
			(marked(body[:length]) > r.offset || r.frames > 1 && !r.marks) {
			return false
		}
	}
	return true
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

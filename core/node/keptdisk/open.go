package keptdisk

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

// DefaultEvery is how often is looked for what has changed: what a program wrote is kept so much later at
// most, as the page cache of a machine is written back.
const DefaultEvery = time.Second

// DefaultMaxBytes is how much of files is kept.
const DefaultMaxBytes = 64 << 20

// Options describe what is kept. Root is required.
type Options struct {
	// Root is the directory, whose content is kept but not itself. It is made if it does not exist.
	Root string
	// MaxBytes bounds the bytes of all files that are kept. Default DefaultMaxBytes.
	MaxBytes int64
	// Every is the time between two looks. Default DefaultEvery; more if looking takes long.
	Every time.Duration
	// Skip says of a path below Root, with slashes, that neither it nor what is below it is kept, and
	// Low that it may have a quarter of MaxBytes only. Default: of none.
	Skip, Low func(path string) bool
	// Attributes are whose a file is to programs, and its mode with the type. A file may have others on
	// the disk itself (core/node/nodefs). Default: what the disk says, where files of whoever runs this program are root's.
	Attributes func(file string, info fs.FileInfo) program.Attributes
	// Tell is told once when something is not kept any more, and with nil when all is kept again. It
	// must not block. Default: nobody is.
	Tell func(error)
}

// Disk keeps a directory. Its methods are for one goroutine.
type Disk struct {
	opts  Options
	sink  persist.Sink
	seed  maphash.Seed
	gen   int64
	file  persist.File
	end   int64
	known map[string]*entry
	held  int64 // bytes of files that are kept
	low   int64 // of those, of low rank
	turn  int
	buf   []byte
	told  bool         // that something is not kept
	lost  error        // of the present look: what there was no room for
	stale bool         // the file is not what is known to be in it
	size  atomic.Int64 // for Written: end after the last look
}

// entry is what is kept at a path.
type entry struct {
	program.Attributes // as programs see them
	mtime              time.Time
	size               int64
	young              bool // it may have changed since without a change of mtime
	sums               []uint64
	to                 string // of a link
	low                bool
	left               bool // out: there was no room
	turn               int  // when it was seen last
}

// Open puts what was kept into the directory, and begins to keep it. It says what could not be read,
// which is lost; the rest is there. The error is the sink's, or the directory's, or persist.ErrNewer: then every file is
// left as it is.
func Open(sink persist.Sink, o Options) (d *Disk, lost error, err error) {
	d = newDisk(sink, o)
	fail := func(err error) (*Disk, error, error) {
		return nil, lost, fmt.Errorf("take up what was on the nodes' disks: %w", err)
	}
	if err := os.MkdirAll(o.Root, 0o700); err != nil {
		return fail(err)
	}
	gens, err := generations(sink)
	if err != nil {
		return fail(err)
	}
	for _, gen := range slices.Backward(gens) {
		d.gen = max(d.gen, gen)
		t, torn, err := d.read(gen)
		if err != nil {
			return fail(err)
		}
		if torn != nil && lost == nil {
			lost = fmt.Errorf("%s: %w", fileName(gen), torn)
		}
		if t == nil {
			continue
		}
		if err := d.restore(t); err != nil {
			return fail(err)
		}
		break
	}
	// The next file begins with what is there now, whatever state the last one is in.
	if err := d.rewrite(); err != nil {
		return fail(err)
	}
	return d, lost, nil
}

// newDisk is one that keeps nothing yet.
func newDisk(sink persist.Sink, o Options) *Disk {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Every == 0 {
		o.Every = DefaultEvery
	}
	if o.Skip == nil {
		o.Skip = func(string) bool { return false }
	}
	if o.Low == nil {
		o.Low = func(string) bool { return false }
	}
	if o.Attributes == nil {
		o.Attributes = func(_ string, info fs.FileInfo) program.Attributes { return nodefs.OnDisk(info) }
	}
	if o.Tell == nil {
		o.Tell = func(error) {}
	}
	return &Disk{opts: o, sink: sink, seed: maphash.MakeSeed(), known: map[string]*entry{}}
}

// dress gives a file its owner and its mode. Root's files are those of whoever runs this program; who is
// not root cannot give them away, and keeps all.
func dress(root *os.Root, at string, e *treeEntry) error {
	if e.uid != 0 || e.gid != 0 {
		if err := root.Lchown(at, e.uid, e.gid); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	if e.mode&fs.ModeSymlink != 0 {
		return nil
	}
	return root.Chmod(at, e.mode&^fs.ModeDir) // after the owner, whose change takes set-user-ID away
}

// Attribute has files looked at as a says from now on: what knows of them is made after the disk is
// opened. It must not be called while Run runs.
func (d *Disk) Attribute(a func(file string, info fs.FileInfo) program.Attributes) {
	d.opts.Attributes = a
}

func fileName(gen int64) string { return fmt.Sprintf("disk-%08d", gen) }

// generations are the numbers of the files there are, in order.
func generations(sink persist.Sink) ([]int64, error) {
	names, err := sink.Files()
	if err != nil {
		return nil, err
	}
	var gens []int64
	for _, name := range names {
		rest, _ := strings.CutPrefix(name, "disk-")
		gen, err := strconv.ParseInt(rest, 10, 64)
		if err == nil && gen > 0 && name == fileName(gen) {
			gens = append(gens, gen)
		}
	}
	slices.Sort(gens)
	return gens, nil
}

// read reads a file; the tree is nil if it was never completed. torn says why it ends before its end.
func (d *Disk) read(gen int64) (t *tree, torn, err error) {
	f, err := d.sink.Open(fileName(gen))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, nil, err
	}
	begins := make([]byte, min(size, int64(len(magic))))
	if n, err := f.ReadAt(begins, 0); n < len(begins) && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if persist.Newer(string(begins), magic) {
		return nil, nil, fmt.Errorf("%s: %w", fileName(gen), persist.ErrNewer)
	}
	// Twice what there may be, and once more for what one look may add.
	if most := 3*(d.opts.MaxBytes+entryCost*maxEntries) + slack; size > most {
		return nil, fmt.Errorf("it has %d bytes, and %d are the most", size, most), nil
	}
	b := make([]byte, size)
	if n, err := f.ReadAt(b, 0); n < len(b) && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if !strings.HasPrefix(string(b), magic) {
		return nil, errors.New("it does not begin as a file of this format and version does"), nil
	}
	b = b[len(magic):]
	t = &tree{entries: map[string]*treeEntry{}, most: d.opts.MaxBytes}
	for len(b) > 0 {
		r, length, err := parse(b)
		if err != nil {
			torn = err
			break
		}
		t.apply(r)
		b = b[length:]
	}
	if !t.whole {
		return nil, nil, nil
	}
	return t, torn, nil
}

// restore makes files from a tree. Links come last, so that nothing is written through one.
func (d *Disk) restore(t *tree) error {
	root, err := os.OpenRoot(d.opts.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	names := slices.SortedFunc(maps.Keys(t.entries), func(a, b string) int {
		return depth(a) - depth(b)
	})
	for _, links := range []bool{false, true} {
		for _, name := range names {
			e := t.entries[name]
			if links != (e.mode&fs.ModeSymlink != 0) || d.opts.Skip(name) {
				continue
			}
			at := filepath.FromSlash(name)
			switch {
			case e.mode.IsDir():
				err = root.MkdirAll(at, 0o700)
			case links:
				err = root.Symlink(inside(d.opts.Root, name, string(e.data)), at)
			default:
				err = root.WriteFile(at, e.data, 0o600)
			}
			if err == nil && !e.mode.IsDir() {
				err = dress(root, at, e)
			}
			if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("restore %q: %w", name, err)
			}
		}
	}
	// Directories once all is in them: one may be closed, or give its group to what is made in it.
	for _, name := range slices.Backward(names) {
		if e := t.entries[name]; e.mode.IsDir() && !d.opts.Skip(name) {
			err := dress(root, filepath.FromSlash(name), e)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("restore %q: %w", name, err)
			}
		}
	}
	return nil
}

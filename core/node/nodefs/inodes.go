package nodefs

import (
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/tabernetes/tabernetes/core/program"
)

// inodes is a table beside the files: whose they are to programs, and their modes. The files
// themselves stay those of whoever runs us, with modes that let us open them: no right of this
// machine is needed for a chown in a pod, and no file of a pod is a set-user-ID program here.
//
// The kubelet changes the files themselves, by upstream's code (fsGroup, modes of a ConfigMap's
// keys). So each field holds only as long as the file has what it had when the field was set.
type inodes struct {
	mu      sync.Mutex
	entries map[inode]entry
	walk    int // of the measurement that is under way, or that was
}

type inode struct{ device, number uint64 }

type entry struct {
	shown, real program.Attributes
	born        int64 // of the file, in ns; inode numbers are used again. 0 if nobody knows
	seen        int   // the last walk that met it
}

// is tells whether a file that was born then is the one that was entered, as far as one knows.
func (e entry) is(born int64) bool { return e.born == 0 || born == 0 || e.born == born }

// OnDisk is what a file itself says: whose it is, and its mode. Those of whoever runs us are root's.
func OnDisk(info fs.FileInfo) program.Attributes {
	attrs := program.Attributes{Mode: info.Mode()}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return attrs
	}
	if int(st.Uid) != os.Geteuid() {
		attrs.UID = int(st.Uid)
	}
	if int(st.Gid) != os.Getegid() {
		attrs.GID = int(st.Gid)
	}
	return attrs
}

func inodeOf(info fs.FileInfo) (inode, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}, false
	}
	return inode{uint64(st.Dev), st.Ino}, true //nolint:unconvert // js has it signed
}

// Attributes implements program.Disk.
func (f *FS) Attributes(host string, info fs.FileInfo) program.Attributes {
	real := OnDisk(info)
	id, ok := inodeOf(info)
	if !ok {
		return real
	}
	t := &f.inodes
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.entries[id]
	if !ok {
		return real
	}
	if e.shown.Mode.Type() != real.Mode.Type() || !e.is(born(host, id)) {
		delete(t.entries, id)
		return real
	}
	shown := real
	if real.UID == e.real.UID {
		shown.UID = e.shown.UID
	}
	if real.GID == e.real.GID {
		shown.GID = e.shown.GID
	}
	if real.Mode == e.real.Mode {
		shown.Mode = e.shown.Mode
	}
	return shown
}

// SetAttributes implements program.Disk.
func (f *FS) SetAttributes(host string, info fs.FileInfo, to program.Attributes) {
	real := OnDisk(info)
	id, ok := inodeOf(info)
	if !ok {
		return
	}
	t := &f.inodes
	t.mu.Lock()
	defer t.mu.Unlock()
	if to == real {
		delete(t.entries, id)
		return
	}
	if t.entries == nil {
		t.entries = map[inode]entry{}
	}
	t.entries[id] = entry{shown: to, real: real, born: born(host, id), seen: t.walk}
}

// begin is called before all files are walked over, met for each, and end after: what was not met
// has gone. What was entered meanwhile stays.
func (t *inodes) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.walk++
}

func (t *inodes) met(info fs.FileInfo) {
	id, ok := inodeOf(info)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.entries[id]; ok {
		e.seen = t.walk
		t.entries[id] = e
	}
}

func (t *inodes) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, e := range t.entries {
		if e.seen < t.walk {
			delete(t.entries, id)
		}
	}
}

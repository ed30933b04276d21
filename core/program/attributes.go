package program

import (
	"cmp"
	"io/fs"
	"path"
	"syscall"
)

// Attributes are what a file's inode says of whose it is (inode(7)).
type Attributes struct {
	UID, GID int
	// Mode is the type with permission, set-user-ID, set-group-ID and sticky bits.
	Mode fs.FileMode
}

// modeBits are those that chmod(2) changes.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// What a check asks for, as access(2) has it.
const (
	mayRead  = 4
	mayWrite = 2
	mayExec  = 1
)

// FileInfo is what an FS says of a file: its Mode is what programs see, and Sys is its Attributes.
type FileInfo struct {
	fs.FileInfo
	name  string
	attrs Attributes
}

// Name is the name inside, which differs from the operating system's at a mount point.
func (i FileInfo) Name() string { return i.name }

// Mode is the type and the bits that programs see.
func (i FileInfo) Mode() fs.FileMode { return i.attrs.Mode }

// Sys gives the file's Attributes.
func (i FileInfo) Sys() any { return i.attrs }

// AttributesOf are those of a file that an FS has described; of another file they are root's.
func AttributesOf(info fs.FileInfo) Attributes {
	if attrs, ok := info.Sys().(Attributes); ok {
		return attrs
	}
	return Attributes{Mode: info.Mode()}
}

// attributes are what the file at host, which info describes, is to programs.
func (f *FS) attributes(host string, info fs.FileInfo) Attributes {
	if f.disk == nil {
		return Attributes{Mode: info.Mode()}
	}
	return f.disk.Attributes(host, info)
}

// attributesAt are those of a place that exists.
func (f *FS) attributesAt(at place) (Attributes, error) {
	info, err := at.stat()
	if err != nil {
		return Attributes{}, err
	}
	return f.attributes(at.host(), info), nil
}

// described is info under its name inside.
func (f *FS) described(host, name string, info fs.FileInfo) fs.FileInfo {
	return FileInfo{info, name, f.attributes(host, info)}
}

// described entries are a directory's, whose Info is an FS's.
type describedEntry struct {
	fs.DirEntry
	f  *FS
	at place
}

func (e describedEntry) Info() (fs.FileInfo, error) {
	at := place{on: e.at.on, rel: path.Join(e.at.rel, e.Name())}
	look := e.DirEntry.Info
	if e.Type()&fs.ModeSymlink != 0 {
		look = at.stat // which knows a link's size
	}
	info, err := look()
	if err != nil {
		return nil, err
	}
	return e.f.described(at.host(), e.Name(), info), nil
}

// allows tells whether the file is open to c for what (mayRead and the others, together).
func (a Attributes) allows(c Credentials, what fs.FileMode) bool {
	if c.Root() {
		// What nobody may run is no program to root either (path_resolution(7)).
		return what&mayExec == 0 || a.Mode.IsDir() || a.Mode&0o111 != 0
	}
	bits := a.Mode.Perm()
	switch {
	case c.EUID == a.UID:
		bits >>= 6
	case c.In(a.GID):
		bits >>= 3
	}
	return bits&what == what
}

// may is EACCES unless the place, which exists, is open to the user.
func (f *FS) may(at place, what fs.FileMode) error {
	if f.user.Root() && what&mayExec == 0 {
		return nil
	}
	attrs, err := f.attributesAt(at)
	if err != nil {
		return err
	}
	if !attrs.allows(f.user, what) {
		return syscall.EACCES
	}
	return nil
}

// parent is the directory that a place is an entry of. The place's path has no links any more, and is
// no mount's own.
func (p place) parent() place {
	return place{name: path.Dir(p.name), on: p.on, rel: path.Dir(p.rel), readOnly: p.readOnly}
}

// mayMake asks for an entry in the directory of at: it returns the directory's attributes. Of root,
// to whom every directory is open, a glance at it is enough.
func (f *FS) mayMake(at place) (Attributes, error) {
	dir := at.parent()
	look := dir.stat
	if f.user.Root() {
		look = dir.peek
	}
	info, err := look()
	if err != nil {
		return Attributes{}, err
	}
	attrs := f.attributes(dir.host(), info)
	if !attrs.allows(f.user, mayWrite|mayExec) {
		err = syscall.EACCES
	}
	return attrs, err
}

// mayTake asks for the entry of at, which exists, to be taken out of its directory: of a sticky
// directory only by whose it is, or whose the directory is (unlink(2)).
func (f *FS) mayTake(at place) error {
	dir, err := f.mayMake(at)
	if err != nil || f.user.Root() || dir.Mode&fs.ModeSticky == 0 || dir.UID == f.user.EUID {
		return err
	}
	attrs, err := f.attributesAt(at)
	if err == nil && attrs.UID != f.user.EUID {
		err = syscall.EPERM
	}
	return err
}

// made gives what was just made at host in a directory its owner and its mode. The operating
// system's own file keeps what lets us open it.
func (f *FS) made(at place, info fs.FileInfo, perm fs.FileMode, dir Attributes) {
	want := Attributes{UID: f.user.EUID, GID: f.user.EGID, Mode: info.Mode().Type() | perm&modeBits&^f.umask}
	if info.Mode()&fs.ModeSymlink != 0 {
		want.Mode = info.Mode()
	}
	if dir.Mode&fs.ModeSetgid != 0 {
		want.GID = dir.GID
		if info.IsDir() {
			want.Mode |= fs.ModeSetgid
		}
	}
	if f.disk != nil {
		f.disk.SetAttributes(at.host(), info, want)
		return
	}
	if want.Mode != info.Mode() { // nothing but the file keeps it
		_ = at.do(func(t tree, rel string) error { return t.chmod(rel, want.Mode) })
	}
}

// openMode is the mode that a new file has for the operating system: we have to be able to open it
// again, whoever may.
func openMode(perm fs.FileMode) fs.FileMode { return perm.Perm() | 0o600 }

// Chmod changes the permission bits of what name leads to; only its owner and root may.
func (f *FS) Chmod(name string, mode fs.FileMode) error {
	return f.changeAttributes("chmod", name, true, func(a *Attributes) error {
		if !f.user.Root() && f.user.EUID != a.UID {
			return syscall.EPERM
		}
		if !f.user.Root() && !a.Mode.IsDir() && !f.user.In(a.GID) {
			mode &^= fs.ModeSetgid // chmod(2)
		}
		a.Mode = a.Mode&^modeBits | mode&modeBits
		return nil
	})
}

// Chown changes whose name is, with links followed; -1 leaves one as it is. Only root may, and an
// owner may give a file to a group that it is in.
func (f *FS) Chown(name string, uid, gid int) error {
	return f.changeAttributes("chown", name, true, f.chown(uid, gid))
}

// Lchown is Chown of a symbolic link itself.
func (f *FS) Lchown(name string, uid, gid int) error {
	return f.changeAttributes("lchown", name, false, f.chown(uid, gid))
}

func (f *FS) chown(uid, gid int) func(a *Attributes) error {
	return func(a *Attributes) error {
		own := f.user.EUID == a.UID && (uid == -1 || uid == a.UID) && (gid == -1 || gid == a.GID || f.user.In(gid))
		if !f.user.Root() && !own {
			return syscall.EPERM
		}
		if uid != -1 {
			a.UID = uid
		}
		if gid != -1 {
			a.GID = gid
		}
		if a.Mode.IsRegular() && a.Mode&0o111 != 0 {
			a.Mode &^= fs.ModeSetuid | fs.ModeSetgid // chown(2): nobody is given another's program
		}
		return nil
	}
}

func (f *FS) changeAttributes(op, name string, follow bool, change func(a *Attributes) error) error {
	return pathError(op, name, f.setAttributes(name, follow, change))
}

func (f *FS) setAttributes(name string, follow bool, change func(a *Attributes) error) error {
	defer f.begin()()
	at, err := f.walk(name, follow)
	if err != nil {
		return err
	}
	if _, ok := devices[at.name]; ok {
		return nil
	}
	info, err := at.stat()
	if err != nil {
		return err
	}
	attrs := f.attributes(at.host(), info)
	before := attrs
	if err := change(&attrs); err != nil {
		return err
	}
	if at.readOnly {
		return syscall.EROFS
	}
	if before == attrs {
		return nil
	}
	if attrs.Mode != before.Mode && info.Mode()&fs.ModeSymlink == 0 {
		// For those who look at the file from outside: the kubelet.
		keep := fs.FileMode(0o600)
		if info.IsDir() {
			keep = 0o700
		}
		err := at.do(func(t tree, rel string) error { return t.chmod(rel, attrs.Mode.Perm()|keep) })
		if err != nil {
			return err
		}
		if info, err = at.stat(); err != nil {
			return err
		}
	}
	if f.disk == nil {
		return nil
	}
	f.disk.SetAttributes(at.host(), info, attrs)
	return nil
}

// Access is EACCES if the user may not do with what name leads to all that mode asks: read 4,
// write 2, execute 1 (access(2), for the effective user). A read-only mount is EROFS to a writer.
func (f *FS) Access(name string, mode fs.FileMode) error {
	return pathError("access", name, f.access(name, mode))
}

func (f *FS) access(name string, mode fs.FileMode) error {
	defer f.begin()()
	at, err := f.walk(name, true)
	if err != nil {
		return err
	}
	if _, ok := devices[at.name]; ok {
		return nil
	}
	if mode&mayWrite != 0 && at.readOnly {
		return syscall.EROFS
	}
	if _, err := at.stat(); err != nil {
		return err
	}
	return f.may(at, mode&7)
}

// RootKind is the kind of file system of what nothing else is mounted at.
const RootKind = "overlay"

// Kind is the kind of the file system that name is on, as in mount(8): RootKind, or its mount's.
func (f *FS) Kind(name string) (string, error) {
	defer f.begin()()
	at, err := f.walk(name, true)
	if err == nil {
		_, err = at.stat()
	}
	if err != nil {
		return "", pathError("statfs", name, err)
	}
	return cmp.Or(at.on.Kind, RootKind), nil
}

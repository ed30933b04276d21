package program

import (
	"io/fs"
	"slices"
)

// Credentials are whom a process acts for (credentials(7)). The zero value is root.
type Credentials struct {
	// UID and GID are the real ones, those of who started it.
	UID, GID int
	// EUID and EGID are the effective ones, which files are checked against: they differ from the
	// real ones in a set-user-ID program.
	EUID, EGID int
	// Groups are the supplementary groups.
	Groups []int
	// NoNewPrivileges keeps set-user-ID programs from changing the effective ones (prctl(2),
	// PR_SET_NO_NEW_PRIVS).
	NoNewPrivileges bool
	// Bounding are the capabilities that a program of root's has, and nobody's is beyond (capabilities(7)), a bit for
	// each of the kernel's numbers. They are told in /proc; what one may do goes by users, groups and modes alone.
	Bounding uint64
}

// Effective are the capabilities that are in effect: all that Bounding allows for root, who lost them is none any more.
func (c Credentials) Effective() uint64 {
	if c.Root() {
		return c.Bounding
	}
	return 0
}

// User is the credentials of a process that was started as uid, gid and groups.
func User(uid, gid int, groups ...int) Credentials {
	return Credentials{UID: uid, EUID: uid, GID: gid, EGID: gid, Groups: groups}
}

// Root tells whether files are open to it whatever their mode.
func (c Credentials) Root() bool { return c.EUID == 0 }

// In tells whether it is in a group, for files.
func (c Credentials) In(gid int) bool { return c.EGID == gid || slices.Contains(c.Groups, gid) }

// Exec is c after execve(2) of a file: set-user-ID and set-group-ID bits count, unless
// NoNewPrivileges.
func (c Credentials) Exec(file Attributes) Credentials {
	if c.NoNewPrivileges {
		return c
	}
	if file.Mode&fs.ModeSetuid != 0 {
		c.EUID = file.UID
	}
	if file.Mode&fs.ModeSetgid != 0 && file.Mode&0o010 != 0 {
		c.EGID = file.GID
	}
	return c
}

// DefaultUmask is the umask of a file system that was given none.
const DefaultUmask fs.FileMode = 0o022

// As is the same file system for another user: what that one may not do is refused.
func (f *FS) As(c Credentials) *FS {
	view := *f
	view.user = c
	return &view
}

// WithUmask is the same file system with other permission bits withheld from what is made new.
func (f *FS) WithUmask(mask fs.FileMode) *FS {
	view := *f
	view.umask = mask.Perm()
	return &view
}

// Credentials are whom the file system is used by.
func (f *FS) Credentials() Credentials { return f.user }

// Umask is what is withheld from the permission bits of what is made new.
func (f *FS) Umask() fs.FileMode { return f.umask }

// credentials are root's for a process without files.
func (p *Process) credentials() Credentials {
	if p.FS == nil {
		return Credentials{}
	}
	return p.FS.Credentials()
}

// As is a copy of p that runs as c.
func (p *Process) As(c Credentials) *Process {
	child := *p
	child.FS = p.FS.As(c)
	return &child
}

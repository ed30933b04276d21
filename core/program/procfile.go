package program

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// procFile gives a file of a process's directory in /proc, as the kernel makes it when it is opened: what the
// table and the process's credentials know of it. "self" is the process that asks, a number one of its table.
func (p *Process) procFile(name string) (*madeFile, bool) {
	rest, ok := strings.CutPrefix(name, "/proc/")
	if !ok {
		return nil, false
	}
	pid, file, _ := strings.Cut(rest, "/")
	owner, parent := p, 0
	if pid != "self" {
		number, err := strconv.Atoi(pid)
		if err != nil || p.Table == nil {
			return nil, false
		}
		if owner, ok = p.Table.process(number); !ok {
			return nil, false
		}
	}
	if owner.Table != nil {
		parent = owner.Table.parent(owner.PID)
	}
	var text string
	switch file {
	case "status":
		text = owner.status(parent, owner == p)
	case "cmdline":
		text = strings.Join(owner.Args, "\x00") + "\x00"
	case "comm":
		text = owner.comm() + "\n"
	case "cgroup":
		text = "0::/\n" // of a container's own cgroup namespace
	default:
		return nil, false
	}
	return &madeFile{Reader: bytes.NewReader([]byte(text)), name: name, info: procInfo{path.Base(name)}}, true
}

// status is in the form of proc_pid_status(5), with those lines that mean something here.
func (p *Process) status(parent int, running bool) string {
	c, state := p.credentials(), "S (sleeping)"
	if running {
		state = "R (running)"
	}
	umask := DefaultUmask
	if p.FS != nil {
		umask = p.FS.Umask()
	}
	groups := make([]string, len(c.Groups))
	for i, g := range c.Groups {
		groups[i] = strconv.Itoa(g)
	}
	bit := 0
	if c.NoNewPrivileges {
		bit = 1
	}
	return fmt.Sprintf("Name:\t%s\nUmask:\t%04o\nState:\t%s\nPid:\t%d\nPPid:\t%d\nUid:\t%d\t%d\t%[7]d\t%[7]d\nGid:\t%d\t%d\t%[9]d\t%[9]d\nGroups:\t%s \n%sNoNewPrivs:\t%d\n%s",
		p.comm(), umask, state, p.PID, parent, c.UID, c.EUID, c.GID, c.EGID, strings.Join(groups, " "), c.sets(), bit, p.allowed())
}

// sets are the lines of a process's capabilities. Runtimes give no inheritable and no ambient ones.
func (c Credentials) sets() string {
	return fmt.Sprintf("CapInh:\t%016x\nCapPrm:\t%016[2]x\nCapEff:\t%016[2]x\nCapBnd:\t%016[3]x\nCapAmb:\t%016[1]x\n", 0, c.Effective(), c.Bounding)
}

// allowed is the line of the processors that a process may run on; empty where its control group says nothing.
func (p *Process) allowed() string {
	if cpus := p.Processors(); cpus != "" {
		return "Cpus_allowed_list:\t" + cpus + "\n"
	}
	return ""
}

// Processors are those that the process may run on, as a list in the kernel's form ("0-2,5"): what its control group
// says, empty where there is none.
func (p *Process) Processors() string {
	if p.FS == nil {
		return ""
	}
	f, err := p.FS.Open("/sys/fs/cgroup/cpuset.cpus.effective")
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<10))
	list := strings.TrimSpace(string(text))
	if err != nil || strings.Trim(list, "0123456789,-") != "" {
		return ""
	}
	return list
}

// comm is the name of the program, of which the kernel keeps 15 bytes.
func (p *Process) comm() string {
	if len(p.Args) == 0 {
		return ""
	}
	name := path.Base(p.Args[0])
	return strings.ToValidUTF8(name[:min(len(name), 15)], "")
}

// parent is the number of a process's parent, 0 if nobody knows.
func (t *Table) parent(pid int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.entries[pid]; ok {
		return e.PPID
	}
	return 0
}

// procInfo describes a file of /proc.
type procInfo struct{ name string }

func (i procInfo) Name() string       { return i.name }
func (i procInfo) Size() int64        { return 0 }
func (i procInfo) Mode() fs.FileMode  { return 0o444 }
func (i procInfo) ModTime() time.Time { return time.Now() }
func (i procInfo) IsDir() bool        { return false }
func (i procInfo) Sys() any           { return nil }

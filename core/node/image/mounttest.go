package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// agnhostMounttest says of files what its flags ask, in the words that Kubernetes' tests look for
// (upstream's test/images/agnhost/README.md, "mounttest"); upstream's own looks at the process's
// files.
func agnhostMounttest(ctx context.Context, p *program.Process) int {
	flags := pflag.NewFlagSet("mounttest", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.SetOutput(p.Stderr)
	type check struct {
		path *string
		do   func(path string) error
	}
	var checks []check
	add := func(flag string, do func(path string) error) {
		checks = append(checks, check{flags.String(flag, "", ""), do})
	}
	m := mounttest{p}
	// In upstream's order: one call can make a file, and then say what is in it.
	add("fs_type", m.kind)
	for _, perm := range []os.FileMode{0o644, 0o666, 0o660, 0o777} {
		add(fmt.Sprintf("new_file_%04o", perm), func(path string) error { return m.create(path, perm) })
	}
	add("file_mode", m.mode)
	add("file_perm", m.perm)
	add("file_owner", m.owner)
	add("file_content", m.content)
	retry := flags.Int("retry_time", 180, "")
	once := flags.Bool("break_on_expected_content", true, "")
	add("file_content_in_loop", func(path string) error {
		return m.contentInLoop(ctx, path, time.Duration(*retry)*time.Second, *once)
	})
	if err := flags.Parse(p.Args[2:]); err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	code := 0
	for _, c := range checks {
		if *c.path != "" && c.do(*c.path) != nil {
			code = 1 // what went wrong has been printed; the tests read the output to its end
		}
	}
	return code
}

type mounttest struct{ *program.Process }

// mountContent is what a file is made with, and what a loop waits for.
const mountContent = "mount-tester new file\n"

func (m mounttest) say(format string, args ...any) { fmt.Fprintf(m.Stdout, format+"\n", args...) }

func (m mounttest) kind(path string) error {
	kind, err := m.FS.Kind(m.Path(path))
	switch {
	case err != nil:
		m.say("error from statfs(%q): %s", path, program.Reason(err))
	case kind == "tmpfs":
		m.say("mount type of %q: tmpfs", path)
	default:
		m.say("mount type of %q: %v", path, kindNumber)
	}
	return err
}

// kindNumber is what statfs(2) calls an overlay, OVERLAYFS_SUPER_MAGIC of linux/magic.h.
const kindNumber = 0x794c7630

func (m mounttest) create(path string, perm os.FileMode) error {
	f, err := m.FS.WithUmask(0).OpenFile(m.Path(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err == nil {
		_, err = io.WriteString(f, mountContent)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		m.say("error writing new file %q: %v", path, err)
		return err
	}
	return m.content(path)
}

func (m mounttest) stat(path string, say func(os.FileInfo)) error {
	info, err := m.FS.Stat(m.Path(path))
	if err != nil {
		m.say("error from Stat(%q): %v", path, err)
		return err
	}
	say(info)
	return nil
}

func (m mounttest) mode(path string) error {
	return m.stat(path, func(i os.FileInfo) { m.say("mode of file %q: %v", path, i.Mode()) })
}

func (m mounttest) perm(path string) error {
	return m.stat(path, func(i os.FileInfo) { m.say("perms of file %q: %v", path, i.Mode().Perm()) })
}

func (m mounttest) owner(path string) error {
	return m.stat(path, func(i os.FileInfo) {
		a := program.AttributesOf(i)
		m.say("owner UID of %q: %v\nowner GID of %q: %v", path, a.UID, path, a.GID)
	})
}

func (m mounttest) content(path string) error {
	text, err := m.read(path)
	if err != nil {
		m.say("error reading file content for %q: %v", path, err)
		return err
	}
	m.say("content of file %q: %s", path, text)
	return nil
}

// contentInLoop prints the file every 2 s; with once, until it has mountContent.
func (m mounttest) contentInLoop(ctx context.Context, path string, lasts time.Duration, once bool) error {
	end := time.Now().Add(lasts)
	for {
		text, err := m.read(path)
		switch {
		case err != nil:
			m.say("Error reading file %s: %v, retrying", path, err)
		default:
			m.say("content of file %q: %s", path, text)
			if once && string(text) == mountContent {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
		if time.Now().After(end) {
			return err
		}
	}
}

func (m mounttest) read(path string) ([]byte, error) {
	f, err := m.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

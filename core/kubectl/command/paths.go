package command

import (
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// paths gives upstream, which opens files of the operating system relative to the process's
// directory, those of the command's own file system and directory.
type paths struct {
	p *program.Process
	// same: the process's directory is the command's, and both name files alike, so that
	// upstream finds what was typed, and its messages say what was typed.
	same bool
	// typed is what was typed for each path that was translated, for messages.
	typed map[string]string
}

func pathsOf(p *program.Process) paths {
	here, err := os.Getwd()
	dir, _, resolveErr := p.FS.Resolve(p.Dir)
	root, _, rootErr := p.FS.Resolve("/")
	return paths{p: p, typed: map[string]string{}, same: err == nil && resolveErr == nil && rootErr == nil && here == dir && root == "/"}
}

// host is the operating system's path for a path of the command.
func (f paths) host(name string) (string, error) {
	host, _, err := f.p.FS.Resolve(f.p.Path(name))
	return host, err
}

// hostOrMissing is host, and for a path that leads nowhere one inside the root where nothing is.
func (f paths) hostOrMissing(name string) string {
	if host, err := f.host(name); err == nil {
		f.typed[host] = name
		return host
	}
	root, _, err := f.p.FS.Resolve("/")
	if err != nil {
		return os.DevNull
	}
	host := filepath.Join(root, path.Clean("/"+f.p.Path(name)))
	f.typed[host] = name
	return host
}

// fileFlags are kubectl's flags whose value is a local path; keyed ones take [key=]path.
var fileFlags = map[string]bool{
	"-f": false, "--filename": false, "-k": false, "--kustomize": false,
	"--kubeconfig": false, "--cache-dir": false,
	"--certificate-authority": false, "--client-certificate": false, "--client-key": false,
	"--cert": false, "--key": false, "--patch-file": false, "--from-env-file": false,
	"--output-directory": false, "--profile-output": false,
	"--custom": false, "--www": false, "-w": false,
	"--from-file": true,
}

// commandsWithOtherF are those in which -f means --follow (logs) or --force.
var commandsWithOtherF = []string{"logs", "log"}

// outputFiles are the prefixes of -o that name a template's file.
var outputFiles = []string{"go-template-file=", "jsonpath-file=", "custom-columns-file=", "templatefile="}

// rewrite returns args with every local path made one of the operating system.
func (f paths) rewrite(args []string) []string {
	if f.same {
		return args
	}
	args = slices.Clone(args)
	verb := verbOf(args)
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			break
		}
		name, head, value, joined := flagOf(args[i], verb)
		if name == "-o" || name == "--output" {
			if joined {
				args[i] = head + "=" + f.template(value)
			} else if i+1 < len(args) {
				args[i+1] = f.template(args[i+1])
			}
			continue
		}
		keyed, isFile := fileFlags[name]
		if !isFile || name == "-f" && slices.Contains(commandsWithOtherF, verb) {
			continue
		}
		switch {
		case joined:
			args[i] = head + "=" + f.value(value, keyed)
		case i+1 < len(args):
			i++
			args[i] = f.value(args[i], keyed)
		}
	}
	return args
}

func (f paths) template(value string) string {
	for _, prefix := range outputFiles {
		if file, ok := strings.CutPrefix(value, prefix); ok {
			return prefix + f.value(file, false)
		}
	}
	return value
}

// value translates one path; standard input and URLs stay.
func (f paths) value(value string, keyed bool) string {
	if keyed {
		if key, file, ok := strings.Cut(value, "="); ok {
			return key + "=" + f.value(file, false)
		}
		host := f.value(value, false)
		if info, err := os.Stat(host); err == nil && info.IsDir() {
			return host
		}
		// The key is the file's name: it must not change.
		return path.Base(value) + "=" + host
	}
	if value == "-" || value == "" || strings.Contains(value, "://") {
		return value
	}
	var list []string
	for part := range strings.SplitSeq(value, ",") {
		list = append(list, f.hostOrMissing(part))
	}
	return strings.Join(list, ",")
}

// messages returns w with paths of the operating system as the command's user knows them.
func (f paths) messages(w io.Writer) io.Writer {
	pairs := f.pairs(standardInput)
	if f.p.Terminal != nil {
		pairs = append(pairs, noTerminal, "") // there is one, see attached.go
	}
	if len(pairs) == 0 {
		return w
	}
	return translated{w, strings.NewReplacer(pairs...)}
}

// asTyped gives a line, or a part of one, the paths that were typed, and the "-" of standard input.
func (f paths) asTyped(line string) string { return strings.NewReplacer(f.pairs("-")...).Replace(line) }

// pairs are the operating system's paths, the longest first, each with what was typed; stdin is what the file is
// called into which standard input was put (stdin.go).
func (f paths) pairs(stdin string) (pairs []string) {
	for _, host := range slices.SortedFunc(maps.Keys(f.typed), func(a, b string) int { return len(b) - len(a) }) {
		typed := f.typed[host]
		if typed == standardInput {
			typed = stdin
		}
		pairs = append(pairs, host, typed)
	}
	if root, _, err := f.p.FS.Resolve("/"); err == nil && root != "/" {
		pairs = append(pairs, root+"/", "/")
	}
	return pairs
}

// translated is a writer of messages, each of which comes in one piece.
type translated struct {
	w    io.Writer
	with *strings.Replacer
}

// Write implements io.Writer.
func (t translated) Write(p []byte) (int, error) {
	if _, err := t.with.WriteString(t.w, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

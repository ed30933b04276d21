package command

import (
	"io"
	"os"
	"slices"
	"strings"
)

// standardInput is how upstream names it in messages (k8s.io/cli-runtime/pkg/resource, FileVisitor).
const standardInput = "STDIN"

// stdin returns the command's standard input, and its arguments. Where a manifest is read from it
// (-f -), upstream reads os.Stdin, a variable of the process. So what was piped in is put into a
// file, and the command is told to read that; done removes it.
func (f paths) stdin(args []string) (in io.Reader, rest []string, done func(), err error) {
	in = f.p.Stdin
	if in == nil {
		in = strings.NewReader("")
	}
	places := manifests(args)
	if len(places) == 0 {
		return in, args, func() {}, nil
	}
	file, err := os.CreateTemp("", "kubectl-stdin-")
	if err != nil {
		return in, args, func() {}, err
	}
	name := file.Name()
	f.typed[name] = standardInput
	done = func() { os.Remove(name) }
	_, err = io.Copy(file, in)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		done()
		return in, args, func() {}, err
	}
	rest = slices.Clone(args)
	for _, at := range places {
		rest[at] = strings.TrimSuffix(rest[at], "-") + name
	}
	return in, rest, done, nil
}

// manifests are the places in args of a "-" that means standard input as a file: all of an argument,
// or its end.
func manifests(args []string) (places []int) {
	verb := verbOf(args)
	for i, a := range args {
		if a == "--" {
			return places
		}
		name, _, value, joined := flagOf(a, verb)
		switch isFile := name == "-f" || name == "--filename"; {
		case isFile && joined && value == "-":
			places = append(places, i)
		case isFile && !joined && i+1 < len(args) && args[i+1] == "-":
			places = append(places, i+1)
		}
	}
	return places
}

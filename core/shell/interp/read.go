package interp

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// readOptions are those of the builtin read.
type readOptions struct {
	raw, silent bool
	array       string // that gets the fields
	prompt      string
	delim       byte
	count       int           // characters; 0 is a line
	timeout     time.Duration // 0 is none
	fd          int
}

func read(s *Shell, args []string) int {
	opts, names, ok := s.readArgs(args[1:])
	if !ok {
		return 2
	}
	for _, name := range append(names, cmp.Or(opts.array, "REPLY")) {
		if !syntax.ValidName(name) {
			s.errorf("read: %s: bad variable name", name)
			return 2
		}
	}
	if opts.prompt != "" && s.p.Terminal != nil {
		fprintf(s.stderr(), "%s", opts.prompt)
	}
	line, err := s.readLine(opts)
	defer s.while(0)()
	s.status = 0
	switch {
	case s.flight.Grow((copies+1)*len(line)) != nil:
	case opts.array != "":
		s.readArray(opts, line)
	case len(names) == 0:
		s.setVar("REPLY", s.newLine(line, opts.raw).text)
	default:
		values := s.fieldsOf(s.newLine(line, opts.raw), len(names))
		for i, name := range names {
			value := ""
			if i < len(values) {
				value = values[i]
			}
			if !s.setVar(name, value) {
				break
			}
		}
	}
	return max(s.status, oneIf(err != nil))
}

// readArray is read -a.
func (s *Shell) readArray(opts readOptions, line string) {
	name, v := s.resolve(opts.array)
	if v.Kind == expand.Associative {
		s.fail(1, "read: %s: cannot convert associative to indexed array", name)
		return
	}
	v.Set, v.Kind, v.Str, v.Indexes = true, expand.Indexed, "", nil
	if v.List = s.fieldsOf(s.newLine(line, opts.raw), -1); v.List == nil {
		v.List = []string{}
	}
	if err := s.assign(name, v); err != nil {
		s.fail(2, "%s: %v", name, err)
	}
}

func (s *Shell) readArgs(args []string) (opts readOptions, names []string, ok bool) {
	opts.delim = '\n'
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		for i := 1; i < len(arg); i++ {
			if strings.IndexByte("rs", arg[i]) >= 0 {
				opts.raw, opts.silent = opts.raw || arg[i] == 'r', opts.silent || arg[i] == 's'
				continue
			}
			if strings.IndexByte("apdntu", arg[i]) < 0 {
				s.errorf("read: illegal option -%c", arg[i])
				return opts, nil, false
			}
			value := arg[i+1:]
			if value == "" {
				if len(args) == 0 {
					s.errorf("read: -%c: argument expected", arg[i])
					return opts, nil, false
				}
				value, args = args[0], args[1:]
			}
			if err := opts.set(arg[i], value); err != nil {
				s.errorf("read: -%c: bad number: %s", arg[i], value)
				return opts, nil, false
			}
			break
		}
	}
	return opts, args, true
}

func (o *readOptions) set(letter byte, value string) (err error) {
	switch letter {
	case 'a':
		o.array = value
	case 'p':
		o.prompt = value
	case 'd':
		o.delim = 0
		if value != "" {
			o.delim = value[0]
		}
	case 'n':
		o.count, err = strconv.Atoi(value)
	case 'u':
		o.fd, err = strconv.Atoi(value)
		o.fd = max(min(o.fd, maxFD-1), 0)
	case 't':
		var seconds float64
		seconds, err = strconv.ParseFloat(value, 64)
		o.timeout = max(time.Duration(seconds*float64(time.Second)), time.Nanosecond)
	}
	return err
}

// readLine reads up to the delimiter and no further.
func (s *Shell) readLine(opts readOptions) (string, error) {
	ctx := s.plain
	if opts.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.timeout)
		defer cancel()
	}
	if st := s.fds[opts.fd]; st == s.streams[0] && s.p.Terminal != nil && (opts.silent || opts.count > 0) {
		s.p.Terminal.Raw(true)
		defer s.p.Terminal.Raw(false)
	}
	r := s.fds[opts.fd].reader(ctx)
	const step = 1024
	var line bytes.Buffer
	escaped := false
	defer s.while(0)()
	one := make([]byte, 1)
	for opts.count == 0 || line.Len() < opts.count {
		if line.Len()%step == 0 {
			if s.ctx.Err() != nil {
				return line.String(), s.ctx.Err()
			}
			_ = s.flight.Grow(copies * step)
		}
		if _, err := io.ReadFull(r, one); err != nil {
			return line.String(), err
		}
		switch c := one[0]; {
		case escaped:
			if escaped = false; c == '\n' {
				line.Truncate(line.Len() - 1) // a continuation
				continue
			}
			line.WriteByte(c)
		case c == opts.delim:
			return line.String(), nil
		default:
			escaped = c == '\\' && !opts.raw
			line.WriteByte(c)
		}
	}
	return line.String(), nil
}

func mapfile(s *Shell, args []string) int {
	name, trim, opts := "MAPFILE", false, readOptions{raw: true, delim: '\n'}
	rest := args[1:]
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		switch {
		case arg == "-t":
			trim = true
		case arg == "-d" && len(rest) > 0:
			_ = opts.set('d', rest[0])
			rest = rest[1:]
		case syntax.ValidName(arg):
			name = arg
		default:
			s.errorf("%s: %s: bad argument", args[0], arg)
			return 2
		}
	}
	list := []string{}
	defer s.while(0)()
	for s.ctx.Err() == nil {
		line, err := s.readLine(opts)
		if err != nil {
			if line != "" {
				list = append(list, line)
			}
			break
		}
		if !trim {
			line += string(rune(opts.delim))
		}
		_ = s.flight.Grow(len(line) + program.StringMemory)
		list = append(list, line)
	}
	s.scope.put(name, expand.Variable{Set: true, Kind: expand.Indexed, List: list})
	return 0
}

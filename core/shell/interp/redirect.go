package interp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

func fprintf(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// redirect applies redirections in their order and returns what it opened.
func (s *Shell) redirect(redirs []*syntax.Redirect) (opened []stream, err error) {
	for _, rd := range redirs {
		st, err := s.redirection(rd)
		if err != nil {
			return opened, err
		}
		if st.handle != nil {
			opened = append(opened, st)
		}
	}
	return opened, nil
}

func (s *Shell) redirection(rd *syntax.Redirect) (stream, error) {
	fd := 1
	switch rd.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		fd = 0
	}
	if rd.N != nil {
		n, err := strconv.Atoi(rd.N.Value)
		if err != nil || n < 0 || n >= maxFD {
			return stream{}, fmt.Errorf("%s: bad file descriptor", rd.N.Value)
		}
		fd = n
	}
	if rd.Op == syntax.Hdoc || rd.Op == syntax.DashHdoc { // without a line it has no word
		text := s.document(rd)
		_ = s.flight.Grow(len(text)) // until the command ends
		s.fds[fd] = stream{r: strings.NewReader(text)}
		return stream{}, s.expanded()
	}
	if ps := onlySubstitution(rd.Word); ps != nil && ps.Op == syntax.CmdIn && rd.Op == syntax.RdrIn {
		st, err := s.fromProcess(ps)
		if err == nil {
			s.fds[fd] = st
		}
		return st, err
	} else if ps != nil && ps.Op == syntax.CmdOut && writes(rd.Op) {
		st, err := s.toProcess(ps)
		if err != nil {
			return st, err
		}
		s.fds[fd] = st
		if rd.Op == syntax.RdrAll || rd.Op == syntax.AppAll {
			s.fds[2] = st
		}
		return st, nil
	}
	word := s.literal(rd.Word)
	if err := s.expanded(); err != nil {
		return stream{}, err
	}
	switch rd.Op {
	case syntax.WordHdoc:
		_ = s.flight.Grow(len(word)) // until the command ends
		s.fds[fd] = stream{r: strings.NewReader(word + "\n")}
		return stream{}, nil
	case syntax.DplIn, syntax.DplOut:
		if n, err := strconv.Atoi(word); err == nil || word == "-" {
			return stream{}, s.duplicate(fd, n, word == "-")
		}
		if rd.Op == syntax.DplIn || rd.N != nil {
			return stream{}, fmt.Errorf("%s: bad file descriptor", word)
		}
		rd = &syntax.Redirect{Op: syntax.RdrAll} // >&file
	}
	flags := map[syntax.RedirOperator]int{
		syntax.RdrIn:    os.O_RDONLY,
		syntax.RdrInOut: os.O_RDWR | os.O_CREATE,
		syntax.RdrOut:   os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
		syntax.RdrClob:  os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
		syntax.RdrAll:   os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
		syntax.AppOut:   os.O_WRONLY | os.O_CREATE | os.O_APPEND,
		syntax.AppAll:   os.O_WRONLY | os.O_CREATE | os.O_APPEND,
	}
	flag, ok := flags[rd.Op]
	if !ok {
		return stream{}, fmt.Errorf("redirection %s is not supported", rd.Op)
	}
	file, err := s.process(s.plain).OpenFile(word, flag, 0o666)
	if err != nil {
		verb := "open"
		if flag&os.O_CREATE != 0 {
			verb = "create"
		}
		what := reason(err)
		if errors.Is(err, fs.ErrNotExist) {
			what = "no such file"
			if verb == "create" {
				what = "nonexistent directory"
			}
		}
		return stream{}, fmt.Errorf("can't %s %s: %s", verb, word, what)
	}
	st := fileStream(file)
	s.fds[fd] = st
	if rd.Op == syntax.RdrAll || rd.Op == syntax.AppAll {
		s.fds[2] = st
	}
	return st, nil
}

// writes tells whether a redirection writes to what it names.
func writes(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		return true
	}
	return false
}

// expanded tells whether the expansion of a redirection's word failed; it has then been told.
func (s *Shell) expanded() error {
	if s.exiting {
		return errors.New("bad redirection")
	}
	return nil
}

func (s *Shell) duplicate(fd, from int, closing bool) error {
	switch {
	case closing:
		s.fds[fd] = stream{r: closed{}, w: closed{}}
		return nil
	case from < 0 || from >= maxFD || s.fds[from] == (stream{}):
		return fmt.Errorf("%d: bad file descriptor", from)
	}
	s.fds[fd] = s.fds[from]
	return nil
}

// document expands a here-document; <<- drops leading tabs.
func (s *Shell) document(rd *syntax.Redirect) string {
	word := rd.Hdoc
	if word == nil {
		return ""
	}
	if rd.Op == syntax.DashHdoc {
		word = &syntax.Word{}
		lineStart := true
		for _, part := range rd.Hdoc.Parts {
			if lit, ok := part.(*syntax.Lit); ok {
				var b strings.Builder
				for line := range strings.SplitAfterSeq(lit.Value, "\n") {
					if lineStart {
						line = strings.TrimLeft(line, "\t")
					}
					b.WriteString(line)
					lineStart = strings.HasSuffix(line, "\n")
				}
				part = &syntax.Lit{Value: b.String()}
			} else {
				lineStart = false
			}
			word.Parts = append(word.Parts, part)
		}
	}
	if literal(rd.Word) {
		var b strings.Builder
		for _, part := range word.Parts {
			if lit, ok := part.(*syntax.Lit); ok { // it has no other parts
				b.WriteString(lit.Value)
			}
		}
		return b.String()
	}
	defer s.while(0)()
	text, err := expanding(func() (string, error) { return expand.Document(s.config, s.substitutions(word)) })
	s.expansionFailed(err)
	return text
}

// literal tells whether a here-document's delimiter is quoted: then what stands in it is as it is, backslashes too.
func literal(delimiter *syntax.Word) bool {
	for _, part := range delimiter.Parts {
		if lit, ok := part.(*syntax.Lit); !ok || strings.Contains(lit.Value, "\\") {
			return true
		}
	}
	return false
}

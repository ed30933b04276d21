package awk

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// maxFields bounds $N, as records hold all fields before it.
const maxFields = 1 << 16

func (m *machine) setRecord(s string) {
	m.record, m.split, m.stale, m.fields, m.set = s, false, false, nil, 0
	m.holdRecord()
}

func (m *machine) splitRecord() {
	if !m.split {
		fs := m.text("FS")
		if m.text("RS") == "" && fs != " " { // POSIX: a newline separates fields, too
			if len(fs) == 1 {
				fs = regexp.QuoteMeta(fs)
			}
			fs = "(" + fs + ")|\n"
		}
		m.fields, m.split = m.cut(m.record, fs), true
		m.holdRecord()
	}
}

// whole is $0, made anew if a field was assigned.
func (m *machine) whole() string {
	if m.stale {
		m.record, m.stale = join(m.fields, m.text("OFS")), false
		m.holdRecord()
	}
	return m.record
}

// cut splits by a field separator: " " is white space, one character is itself, more is a
// regular expression.
func (m *machine) cut(s, fs string) []string {
	switch {
	case fs == " ":
		return collect(strings.FieldsSeq(s))
	case s == "":
		return nil
	case fs == "":
		return collect(strings.SplitSeq(s, ""))
	case len(fs) == 1 && fs != "\\":
		return collect(strings.SplitSeq(s, fs))
	}
	return m.parts(m.compile(fs).re, s)
}

func (m *machine) field(n int) value {
	switch {
	case n == 0:
		return input(m.whole())
	case n < 0:
		m.fail("access to negative field")
	}
	m.splitRecord()
	if n > len(m.fields) {
		return uninitialised
	}
	return input(m.fields[n-1])
}

func (m *machine) setField(n int, s string) {
	if n == 0 {
		m.setRecord(s)
		return
	}
	if n < 0 || n > maxFields {
		m.fail("no such field $%d", n)
	}
	m.splitRecord()
	for len(m.fields) < n {
		m.fields = append(m.fields, "")
	}
	m.fields[n-1] = s
	m.stale = true
	if m.set += len(s); m.set > maxText { // or less: a field may have been assigned before
		m.set = 0
		for _, field := range m.fields {
			m.set += len(field)
		}
		fits(m.set)
	}
	m.holdRecord()
}

func (m *machine) setCount(n int) {
	if n < 0 || n > maxFields {
		m.fail("NF set to %d", n)
	}
	m.splitRecord()
	for len(m.fields) < n {
		m.fields = append(m.fields, "")
	}
	m.fields, m.stale = m.fields[:n], true
	m.holdRecord()
}

func (m *machine) splitInto(x builtinExpr) value {
	v, ok := x.args[1].(varExpr)
	if !ok {
		m.fail("split: the second argument must be an array")
	}
	s := m.str(x.args[0])
	var parts []string
	switch {
	case len(x.args) < 3:
		parts = m.cut(s, m.text("FS"))
	default:
		if re, isRegex := x.args[2].(regexExpr); isRegex {
			if s != "" {
				parts = m.parts(re.re, s)
			}
		} else {
			parts = m.cut(s, m.str(x.args[2]))
		}
	}
	a := m.array(string(v))
	m.empty(a)
	for i, part := range parts {
		m.put(a, strconv.Itoa(i+1), input(part))
	}
	return num(float64(len(parts)))
}

// readMain gives the next record of the files in ARGV, or of standard input.
func (m *machine) readMain() (string, bool) {
	for {
		if m.main == nil && !m.openNext() {
			return "", false
		}
		line, err := m.readRecord(m.main)
		if err == nil {
			m.count("NR")
			m.count("FNR")
			return line, true
		}
		m.closeMain()
		if !errors.Is(err, io.EOF) {
			m.fail("%v", err)
		}
	}
}

func (m *machine) count(name string) { m.vars[name] = num(m.vars[name].number() + 1) }

func (m *machine) closeMain() {
	if m.main != nil {
		m.end(m.main)
	}
	m.main = nil
}

// openNext opens the next file of the arguments, or standard input if there are none.
// Assignments among them are done in passing.
func (m *machine) openNext() bool {
	for len(m.args) > 0 {
		arg := m.args[0]
		m.args = m.args[1:]
		if id, v, ok := strings.Cut(arg, "="); ok && isName(id) {
			m.vars[id] = input(Unescape(v))
		} else if arg != "" {
			return m.open(arg)
		}
	}
	return !m.opened && m.open("-")
}

func (m *machine) open(file string) bool {
	m.opened = true
	r, err := m.Open(file)
	if err != nil {
		m.fail("%s: %v", file, err)
	}
	m.main = m.newRecordReader(r)
	if file != "-" {
		m.vars["FILENAME"] = str(file)
	}
	m.vars["FNR"] = num(0)
	return true
}

func isName(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != ""
}

// readRecord reads up to RS: a character, a regular expression if it has more of them, as gawk and
// busybox have it (POSIX leaves that open), or blank lines if it is empty.
func (m *machine) readRecord(r *recordReader) (record string, err error) {
	switch rs := m.text("RS"); len(rs) {
	case 0:
		record, err = r.paragraph()
	case 1:
		record, err = r.until(rs[0])
	default:
		record, err = r.untilMatch(m.Context, m.compile(rs).re)
	}
	m.hold(ofReading, 0)
	m.rest(r)
	return record, err
}

// rest counts anew what a reader has read ahead.
func (m *machine) rest(r *recordReader) {
	m.rests += len(r.rest) - r.counted
	r.counted = len(r.rest)
	m.hold(ofRests, m.rests)
}

// end closes a reader.
func (m *machine) end(r *recordReader) {
	_ = r.c.Close()
	r.rest = nil
	m.rest(r)
}

// parts splits by a regular expression.
func (m *machine) parts(re *regex.Regexp, s string) []string {
	parts := re.Split(m.Context, s, maxSplit+1)
	if len(parts) > maxSplit {
		m.fail("a record of more than %d fields", maxSplit)
	}
	return parts
}

// getline is 1 for a record, 0 at the end, -1 if the file cannot be read.
func (m *machine) getline(x getlineExpr) value {
	var line string
	if x.file == nil {
		var ok bool
		if line, ok = m.readMain(); !ok {
			return num(0)
		}
	} else {
		file := m.str(x.file)
		r, ok := m.readers[file]
		if !ok {
			if len(m.readers) >= maxFiles {
				m.fail("can't open %s: more than %d files are open", file, maxFiles)
			}
			opened, err := m.Open(file)
			if err != nil {
				return num(-1)
			}
			r = m.newRecordReader(opened)
			m.readers[file] = r
		}
		var err error
		switch line, err = m.readRecord(r); {
		case errors.Is(err, errMemory):
			panic(errMemory)
		case errors.Is(err, io.EOF):
			return num(0)
		case err != nil:
			return num(-1)
		}
	}
	if x.to == nil {
		m.setRecord(line)
	} else {
		m.assign(x.to, input(line))
	}
	return num(1)
}

func (m *machine) close(name string) value {
	if w, ok := m.writers[name]; ok {
		delete(m.writers, name)
		return num(float64(oneIf(w.Close() != nil)))
	}
	if r, ok := m.readers[name]; ok {
		m.end(r)
		delete(m.readers, name)
		return num(0)
	}
	return num(-1)
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

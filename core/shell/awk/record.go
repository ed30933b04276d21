package awk

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// maxFields bounds $N, as records hold all fields before it.
const maxFields = 1 << 16

func (m *machine) setRecord(s string) { m.record, m.split, m.stale, m.fields = s, false, false, nil }

func (m *machine) splitRecord() {
	if !m.split {
		m.fields, m.split = m.cut(m.record, m.text("FS")), true
	}
}

// whole is $0, made anew if a field was assigned.
func (m *machine) whole() string {
	if m.stale {
		m.record, m.stale = strings.Join(m.fields, m.text("OFS")), false
	}
	return m.record
}

// cut splits by a field separator: " " is white space, one character is itself, more is a
// regular expression.
func (m *machine) cut(s, fs string) []string {
	switch {
	case fs == " ":
		return strings.Fields(s)
	case s == "":
		return nil
	case fs == "":
		return strings.Split(s, "")
	case len(fs) == 1 && fs != "\\":
		return strings.Split(s, fs)
	}
	return m.compile(fs).re.Split(s, -1)
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
				parts = re.re.Split(s, -1)
			}
		} else {
			parts = m.cut(s, m.str(x.args[2]))
		}
	}
	a := m.array(string(v))
	clear(a)
	for i, part := range parts {
		a[strconv.Itoa(i+1)] = input(part)
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
	}
}

func (m *machine) count(name string) { m.vars[name] = num(m.vars[name].number() + 1) }

func (m *machine) closeMain() {
	if m.closer != nil {
		_ = m.closer.Close()
	}
	m.main, m.closer = nil, nil
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
	m.main, m.closer = bufio.NewReader(r), r
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

// readRecord reads up to RS: a character, or blank lines if it is empty.
func (m *machine) readRecord(r *bufio.Reader) (string, error) {
	rs := m.text("RS")
	if rs == "" {
		return readParagraph(r)
	}
	record, err := r.ReadString(rs[0])
	if err == io.EOF && record != "" {
		return strings.TrimSuffix(record, "\n"), nil // a last line without its end
	}
	if err != nil {
		return "", err
	}
	return record[:len(record)-1], nil
}

func readParagraph(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		line, err := r.ReadString('\n')
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line != "":
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(line)
		case b.Len() > 0:
			return b.String(), nil
		}
		if err != nil {
			if b.Len() > 0 {
				return b.String(), nil
			}
			return "", err
		}
	}
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
			opened, err := m.Open(file)
			if err != nil {
				return num(-1)
			}
			r = bufio.NewReader(opened)
			m.readers[file] = r
		}
		var err error
		if line, err = m.readRecord(r); err != nil {
			return num(0)
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
	if _, ok := m.readers[name]; ok {
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

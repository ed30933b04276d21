package awk

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Config is what a run has of the world.
type Config struct {
	// Context is asked between statements; it should yield.
	Context context.Context
	// Args are ARGV without the program's name: files, and assignments name=value.
	Args []string
	Env  map[string]string
	// Vars are set before BEGIN.
	Vars map[string]string
	// Hold is told how many bytes the run holds; with an error it ends. nil if nobody asks.
	Hold func(bytes int) error
	// Open opens a file to read; "-" is standard input.
	Open func(name string) (io.ReadCloser, error)
	// Create opens a file to write.
	Create  func(name string, appending bool) (io.WriteCloser, error)
	Output  io.Writer
	Compile CompileRegexp
}

// machine is one run of a program.
type machine struct {
	Config
	prog   *Program
	vars   map[string]value
	arrays map[string]*array
	local  *frame
	depth  int
	kept   int // bytes, of variables
	beside [kinds]int
	flying int // bytes, of values: see fly
	rests  int // bytes, that readers have read ahead

	record  string
	fields  []string
	split   bool // fields are those of record
	stale   bool // record is to be made of fields
	set     int  // bytes of fields that were assigned; see setField
	inRange map[*rule]bool

	args     []string
	opened   bool // one of them, or standard input
	main     *recordReader
	readers  map[string]*recordReader
	writers  map[string]io.WriteCloser
	random   uint64
	seed     float64
	regexps  map[string]regexExpr
	patterns int // bytes, of regexps
	code     int
}

// frame is a function's run: its scalars and the arrays that it was given.
type frame struct {
	vars   map[string]value
	arrays map[string]*array
	own    []*array // of arrays, those that end with the run
	params map[string]bool
	kept   map[string]int // bytes, of vars
}

// jump is how next, exit, return … leave statements.
type jump struct {
	word string
	v    value
}

type runError string

func (e runError) Error() string { return string(e) }

// Run runs the program and returns its exit code.
func (prog *Program) Run(c Config) (code int, err error) {
	m := &machine{
		Config: c, prog: prog, vars: map[string]value{}, arrays: map[string]*array{},
		inRange: map[*rule]bool{}, args: c.Args, readers: map[string]*recordReader{},
		writers: map[string]io.WriteCloser{}, random: 1, regexps: map[string]regexExpr{}, split: true,
	}
	defer func() {
		for _, w := range m.writers {
			_ = w.Close()
		}
		for _, r := range m.readers {
			_ = r.c.Close()
		}
		m.closeMain()
		if r := recover(); r != nil {
			e, ok := r.(runError)
			if !ok {
				panic(r)
			}
			code, err = 2, e
		}
	}()
	for name, v := range map[string]string{"FS": " ", "OFS": " ", "ORS": "\n", "RS": "\n", "SUBSEP": "\x1c", "CONVFMT": "%.6g", "OFMT": "%.6g"} {
		m.vars[name] = str(v)
	}
	for _, name := range []string{"NR", "FNR", "RSTART"} {
		m.vars[name] = num(0)
	}
	m.vars["RLENGTH"] = num(-1)
	environ := m.array("ENVIRON")
	for name, v := range c.Env {
		m.put(environ, name, input(v))
	}
	argv := m.array("ARGV")
	m.put(argv, "0", str("awk"))
	for i, arg := range c.Args {
		m.put(argv, fmt.Sprint(i+1), input(arg))
	}
	m.vars["ARGC"] = num(float64(len(c.Args) + 1))
	for name, v := range c.Vars {
		m.vars[name] = input(v)
	}
	m.run()
	return m.code, nil
}

func (m *machine) run() {
	exited := m.all(m.prog.begin)
	if !exited && (len(m.prog.rules) > 0 || len(m.prog.end) > 0) {
		exited = m.records()
	}
	if !exited {
		m.all(m.prog.end)
	}
}

// all runs blocks; true if one of them exits. An exit in BEGIN or in a rule skips the rest,
// but POSIX runs END all the same, unless the exit was there.
func (m *machine) all(blocks [][]stmt) (exited bool) {
	for _, block := range blocks {
		if j := m.stmts(block); j != nil && j.word == "exit" {
			return true
		}
	}
	return false
}

func (m *machine) records() (exited bool) {
	for {
		line, ok := m.readMain()
		if !ok {
			return false
		}
		m.setRecord(line)
		for i, r := range m.prog.rules {
			if i%64 == 0 {
				m.asked()
			}
			if !m.applies(r) {
				continue
			}
			if r.printing {
				m.write(m.Output, m.whole()+m.text("ORS"))
				continue
			}
			if j := m.stmts(r.action); j != nil {
				if j.word == "exit" {
					m.all(m.prog.end)
					return true
				}
				break
			}
		}
	}
}

func (m *machine) applies(r *rule) bool {
	switch {
	case r.from == nil:
		return true
	case r.to == nil:
		return m.truth(r.from)
	case !m.inRange[r] && !m.truth(r.from):
		return false
	}
	m.inRange[r] = !m.truth(r.to)
	return true
}

func (m *machine) fail(format string, args ...any) { panic(runError(fmt.Sprintf(format, args...))) }

// asked ends the run with its context.
func (m *machine) asked() {
	if err := m.Context.Err(); err != nil {
		m.fail("%v", err)
	}
}

func (m *machine) stmts(body []stmt) *jump {
	for _, s := range body {
		m.asked()
		if j := m.stmt(s); j != nil {
			return j
		}
	}
	return nil
}

func (m *machine) stmt(s stmt) *jump {
	mark := m.flying
	j := m.execute(s)
	m.fly(mark)
	return j
}

// truth is a condition's.
func (m *machine) truth(x expr) bool {
	mark := m.flying
	is := m.eval(x).truth()
	m.fly(mark)
	return is
}

func (m *machine) execute(s stmt) *jump {
	switch s := s.(type) {
	case exprStmt:
		m.eval(s.x)
	case blockStmt:
		return m.stmts(s.body)
	case printStmt:
		m.print(s)
	case ifStmt:
		if m.truth(s.cond) {
			return m.stmts(s.then)
		}
		return m.stmts(s.alse)
	case loopStmt:
		return m.loop(s)
	case forInStmt:
		a := m.array(s.in)
		m.fly(m.flying + len(a.elems)*perField)
		for _, key := range slices.Sorted(maps.Keys(a.elems)) {
			if _, ok := a.elems[key]; !ok {
				continue
			}
			m.assign(varExpr(s.v), input(key))
			if j := m.stmts(s.body); j != nil && j.word != "continue" {
				if j.word == "break" {
					break
				}
				return j
			}
		}
	case jumpStmt:
		if s.word == "nextfile" {
			m.closeMain()
		}
		return &jump{word: s.word}
	case exitStmt:
		if s.x != nil {
			m.code = int(m.eval(s.x).number()) & 0xff
		}
		return &jump{word: "exit"}
	case returnStmt:
		j := &jump{word: "return"}
		if s.x != nil {
			j.v = m.eval(s.x)
		}
		return j
	case deleteStmt:
		a := m.array(s.array)
		if s.index == nil {
			m.empty(a)
		} else {
			m.drop(a, m.key(s.index))
		}
	}
	return nil
}

func (m *machine) loop(s loopStmt) *jump {
	if s.init != nil {
		m.stmt(s.init)
	}
	for first := true; ; first = false {
		m.asked()
		if !(first && s.checkAfter) && s.cond != nil && !m.truth(s.cond) {
			return nil
		}
		if j := m.stmts(s.body); j != nil && j.word != "continue" {
			if j.word == "break" {
				return nil
			}
			return j
		}
		if s.post != nil {
			m.stmt(s.post)
		}
	}
}

func (m *machine) print(s printStmt) {
	out := m.Output
	if s.to != nil {
		out = m.writer(m.str(s.to), s.append)
	}
	if s.format {
		args := make([]value, len(s.args))
		for i, arg := range s.args {
			args[i] = m.eval(arg)
		}
		m.write(out, sprintf(args[0].text(m.convfmt()), args[1:], m.convfmt()))
		return
	}
	if len(s.args) == 0 {
		m.write(out, m.whole()+m.text("ORS"))
		return
	}
	texts := make([]string, len(s.args))
	for i, arg := range s.args {
		texts[i] = m.eval(arg).text(m.text("OFMT"))
	}
	m.write(out, join(texts, m.text("OFS")))
	m.write(out, m.text("ORS"))
}

func (m *machine) write(w io.Writer, text string) {
	if _, err := io.WriteString(w, text); err != nil {
		m.fail("write error")
	}
}

func (m *machine) writer(name string, appending bool) io.Writer {
	if w, ok := m.writers[name]; ok {
		return w
	}
	if len(m.writers) >= maxFiles {
		m.fail("can't open %s: more than %d files are open", name, maxFiles)
	}
	w, err := m.Create(name, appending)
	if err != nil {
		m.fail("can't open %s", name)
	}
	m.writers[name] = w
	return w
}

// text is a special variable's value.
func (m *machine) text(name string) string { return m.vars[name].text("%.6g") }

func (m *machine) convfmt() string { return m.text("CONVFMT") }

func (m *machine) str(x expr) string { return m.eval(x).text(m.convfmt()) }

// array gives the array of that name, which it makes if there is none.
func (m *machine) array(name string) *array {
	local := m.local != nil && m.local.params[name]
	arrays := m.arrays
	if local {
		arrays = m.local.arrays
	}
	a, ok := arrays[name]
	if !ok {
		a = newArray()
		arrays[name] = a
		if local {
			m.local.own = append(m.local.own, a)
		}
	}
	return a
}

func (m *machine) key(index []expr) string {
	keys := make([]string, len(index))
	for i, x := range index {
		keys[i] = m.str(x)
	}
	return join(keys, m.text("SUBSEP"))
}

// maxCalls bounds recursion.
const maxCalls = 1000

func (m *machine) call(x callExpr) value {
	f, ok := m.prog.funcs[x.name]
	if !ok {
		m.fail("call to undefined function %s", x.name)
	}
	if len(x.args) > len(f.params) {
		m.fail("function %s called with too many arguments", x.name)
	}
	if m.depth++; m.depth > maxCalls {
		m.fail("functions are nested too deeply")
	}
	mark := m.flying
	fr := &frame{vars: map[string]value{}, arrays: map[string]*array{}, params: map[string]bool{}, kept: map[string]int{}}
	for i, param := range f.params {
		fr.params[param] = true
		if i >= len(x.args) {
			continue
		}
		// A bare name may be an array, which is given by reference.
		if v, isVar := x.args[i].(varExpr); isVar && !m.isScalar(string(v)) {
			fr.arrays[param] = m.array(string(v))
		}
		v := m.eval(x.args[i])
		fr.vars[param] = v
		// From above: it may be a variable's, which may be another one's meanwhile.
		fr.kept[param] = len(v.s)
		m.keep(len(v.s))
		m.fly(mark)
	}
	outer := m.local
	m.local = fr
	j := m.stmts(f.body)
	m.local = outer
	m.depth--
	for _, n := range fr.kept {
		m.kept -= n
	}
	for _, a := range fr.own {
		m.kept -= a.kept
	}
	if j == nil {
		return uninitialised
	}
	if j.word == "exit" {
		m.fail("exit in a function is not supported")
	}
	return j.v
}

func (m *machine) isScalar(name string) bool {
	if m.local != nil && m.local.params[name] {
		_, ok := m.local.vars[name]
		_, isArray := m.local.arrays[name]
		return ok && !isArray
	}
	_, ok := m.vars[name]
	return ok || name == "NF"
}

// rand is a linear congruential generator (Knuth, MMIX), the same at each run as awk's is.
func (m *machine) rand() float64 {
	m.random = m.random*6364136223846793005 + 1442695040888963407
	return float64(m.random>>11) / (1 << 53)
}

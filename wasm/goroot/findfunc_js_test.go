package goroot

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"testing"
	"unsafe"
)

// The head of runtime.moduledata (runtime/symtab.go), as far as findfunc reads it.
type moduledata struct {
	pcHeader     unsafe.Pointer
	funcnametab  []byte
	cutab        []uint32
	filetab      []byte
	pctab        []byte
	pclntable    []byte
	ftab         []struct{ entry, funcoff uint32 }
	findfunctab  *byte
	minpc, maxpc uintptr
}

type funcInfo struct {
	function *struct{ entry uint32 }
	datap    *moduledata
}

//go:linkname lastmoduledatap runtime.lastmoduledatap
var lastmoduledatap *moduledata

//go:linkname findfunc runtime.findfunc
func findfunc(pc uintptr) funcInfo

// The runtime's own way is a table that leads near, and from there forward to the last entry that
// is not beyond the PC. On wasm it is computed: both must name the same function for every PC.
func TestEveryFunctionIsFoundByItsPCs(t *testing.T) {
	m := lastmoduledatap
	functions := m.ftab[:len(m.ftab)-1] // the last one is the end
	if len(functions) < 1000 {
		t.Fatalf("only %d functions: moduledata is not what this test takes it for", len(functions))
	}
	const block = 1 << 16
	first := uintptr(functions[0].entry) * block
	if first != m.minpc {
		t.Fatalf("the first function begins at %#x, the code at %#x", first, m.minpc)
	}
	wrong := 0
	check := func(pc uintptr) {
		index := uint32(pc / block)
		i := sort.Search(len(functions), func(i int) bool { return functions[i].entry > index }) - 1
		got := findfunc(pc)
		if got.datap != m || uintptr(unsafe.Pointer(got.function)) != uintptr(unsafe.Pointer(&m.pclntable[functions[i].funcoff])) || got.function.entry != functions[i].entry {
			if wrong++; wrong < 10 {
				t.Errorf("PC %#x: another function than number %d", pc, i)
			}
		}
	}
	for i, f := range functions {
		end := m.ftab[i+1].entry
		for _, index := range []uint32{f.entry, end - 1} { // also what the linker left out in between
			for _, pc := range []uintptr{0, 1, block / 2, block - 1} {
				if pc += uintptr(index) * block; pc < m.maxpc { // the last function's end, which is told exactly
					check(pc)
				}
			}
		}
	}
	for _, outside := range []uintptr{0, 1, m.minpc - 1, m.maxpc + block, ^uintptr(0)} {
		if got := findfunc(outside); got.function != nil {
			t.Errorf("PC %#x belongs to no function, and one was found: entry %#x", outside, got.function.entry)
		}
	}
}

// The table that this makes superfluous is a fifth of the tab's memory: our linker leaves a word.
func TestTheTableOfFunctionsIsNotLinked(t *testing.T) {
	m := lastmoduledatap
	if m.findfunctab == nil {
		t.Fatal("no address")
	}
	// Upstream's has the first function's index, then one byte for each 256 of its 64 Ki PCs: 20
	// bytes for each 4 KiB. What lies there now is one word and then something else.
	table := unsafe.Slice(m.findfunctab, 20*16*64)
	for i := range 64 {
		for j := range 16 {
			if at := table[(i*16+j)*20:]; uint32(at[0])|uint32(at[1])<<8|uint32(at[2])<<16|uint32(at[3])<<24 != uint32(i) {
				return
			}
		}
	}
	t.Error("runtime.findfunctab is there, as the toolchain's own linker makes it")
}

//go:noinline
func outer(f func()) { inlined(f) }

func inlined(f func()) { f() }

func TestTracesNameFunctionsAndLines(t *testing.T) {
	var stack string
	var frames []string
	outer(func() {
		pcs := make([]uintptr, 16)
		next := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
		for {
			f, more := next.Next()
			frames = append(frames, f.Function[strings.LastIndex(f.Function, "/")+1:])
			if f.Line == 0 || !strings.Contains(f.File, ".") {
				t.Errorf("%s: %s:%d", f.Function, f.File, f.Line)
			}
			if !more {
				break
			}
		}
		defer func() {
			if recover() == nil {
				t.Error("nothing to recover from")
			}
			stack = string(debug.Stack())
		}()
		var none *moduledata
		_ = none.maxpc
	})
	if len(frames) < 4 || frames[1] != "goroot.inlined" || frames[2] != "goroot.outer" {
		t.Errorf("frames %q", frames)
	}
	for _, want := range []string{"goroot.TestTracesNameFunctionsAndLines", "goroot.outer", "findfunc_js_test.go:", "testing.tRunner"} {
		if !strings.Contains(stack, want) {
			t.Errorf("the stack of a panic lacks %s:\n%s", want, stack)
		}
	}
	pc := reflect.ValueOf(outer).Pointer()
	f := runtime.FuncForPC(pc)
	if f == nil || !strings.HasSuffix(f.Name(), "goroot.outer") || f.Entry() != pc {
		t.Errorf("FuncForPC: %v", f)
	}
}

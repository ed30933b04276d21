// Command weigh takes the built module apart and prints what its parts weigh, as Markdown: the
// sections, what the data is, and the packages with the most code.
//
//	go run ./wasm/weigh                     the module of out/site, compressed at quality 5
//	go run ./wasm/weigh -brotli 9 -top 60 FILE
//
// Brotli of a part is of the part alone: all of them together are more than the whole. It reads
// the tables that Go's runtime reads, so that a module without names can be weighed, too. It may
// import the standard library and wasm/gomodule; it needs the program brotli.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/gomodule"
)

func main() {
	quality := flag.Int("brotli", 5, "quality to compress with, 0 to 11")
	top := flag.Int("top", 30, "how many packages")
	flag.Parse()
	if err := run(flag.Arg(0), *quality, *top); err != nil {
		fmt.Fprintln(os.Stderr, "weigh:", err)
		os.Exit(1)
	}
}

func run(file string, quality, top int) error {
	if file == "" {
		built, err := filepath.Glob("out/site/assets/tabernetes.*.wasm")
		if err != nil || len(built) != 1 {
			return fmt.Errorf("%d modules in out/site/assets; build one (scripts/build), or name a file", len(built))
		}
		file = built[0]
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m, err := gomodule.Read(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	p, err := m.Program()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	w := &scale{quality: quality}
	w.table(fmt.Sprintf("section (%d functions)", len(m.Bodies)),
		line{"code", m.Sections[gomodule.SectionCode]}, line{"data", m.Sections[gomodule.SectionData]})
	w.table("part of the data", dataParts(p)...)
	w.table("table of functions, apart", functionParts(p)...)
	w.table("package, its code", packages(m, p, top)...)
	return w.err
}

// line is one line of a table: bytes that are weighed.
type line struct {
	name    string
	content []byte
}

// dataParts are in the order of memory.
func dataParts(p *gomodule.Program) []line {
	of := func(name string, r gomodule.Part) line { return line{name, p.Bytes(r)} }
	const first = 4096 // where Go's linker begins
	return []line{
		of("texts and other constants before the types", gomodule.Part{At: first, Size: p.Types.At - first}),
		of("types", p.Types),
		of("after the types, to pclntab", gomodule.Part{At: p.Types.At + p.Types.Size, Size: p.PCHeader - p.Types.At - p.Types.Size}),
		of("pclntab: names of functions", p.FuncNames),
		of("pclntab: files by package", p.Units),
		of("pclntab: names of files", p.Files),
		of("pclntab: tables by PC", p.PCTab),
		of("pclntab: functions", p.Funcs),
		of("pclntab: data of functions", p.Data),
		of("findfunctab", p.FindFuncTab),
		of("data without pointers", p.NoPtrData),
		of("data", p.PtrData),
	}
}

// functionParts say what the tables by PC are for, and what inlining takes. A table that several
// functions share counts for the first kind that has it.
func functionParts(p *gomodule.Program) []line {
	seen := map[uint32]bool{}
	parts := map[string][]byte{}
	add := func(kind string, off uint32) (most int32) {
		if off == 0 {
			return -1
		}
		size := p.PCTable(off, func(_ uint32, value int32) { most = max(most, value) })
		if !seen[off] {
			seen[off] = true
			parts[kind] = append(parts[kind], p.Bytes(gomodule.Part{At: p.PCTab.At + uint64(off), Size: size})...)
		}
		return most
	}
	const call = 16 // bytes of runtime.inlinedCall
	trees := map[uint32]bool{}
	for _, f := range p.Functions {
		add("by PC: stack (pcsp)", f.PCSP)
		add("by PC: file", f.PCFile)
		add("by PC: line", f.PCLn)
		for i, off := range f.PCData {
			most := add("by PC: "+pcdataName(i), off)
			if i != gomodule.PCDataInlinedCalls || off == 0 {
				continue
			}
			if tree := f.FuncData[gomodule.FuncDataInlined]; !trees[tree] {
				trees[tree] = true
				size := uint64(most+1) * call
				parts["data: calls inlined"] = append(parts["data: calls inlined"], p.Bytes(gomodule.Part{At: p.Data.At + uint64(tree), Size: size})...)
			}
		}
	}
	var lines []line
	for _, kind := range slices.Sorted(maps.Keys(parts)) {
		lines = append(lines, line{kind, parts[kind]})
	}
	return lines
}

func pcdataName(i int) string {
	names := []string{"unsafe points", "stack maps", "inlined calls", "live arguments", "panics"}
	if i < len(names) {
		return names[i]
	}
	return strconv.Itoa(i)
}

// packages are those with the most code.
func packages(m *gomodule.Module, p *gomodule.Program, top int) []line {
	byPackage := map[string][]byte{}
	for i, f := range p.Functions {
		name := gomodule.PackageOf(f.Name)
		byPackage[name] = append(byPackage[name], m.Bodies[i]...)
	}
	lines := make([]line, 0, len(byPackage))
	for name, code := range byPackage {
		lines = append(lines, line{name, code})
	}
	slices.SortFunc(lines, func(a, b line) int { return -cmp.Compare(len(a.content), len(b.content)) })
	return lines[:min(top, len(lines))]
}

// scale weighs and prints, and keeps the first error.
type scale struct {
	quality int
	err     error
}

func (s *scale) table(head string, lines ...line) {
	fmt.Printf("| %s | raw | brotli %d |\n|---|---|---|\n", head, s.quality)
	for _, l := range lines {
		fmt.Printf("| %s | %s | %s |\n", l.name, megabytes(len(l.content)), megabytes(s.brotli(l.content)))
	}
	fmt.Println()
}

func megabytes(n int) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }

func (s *scale) brotli(content []byte) int {
	if s.err != nil || len(content) == 0 {
		return 0
	}
	cmd := exec.Command("brotli", "-q", strconv.Itoa(s.quality), "-w", "24", "-c")
	cmd.Stdin = bytes.NewReader(content)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	if err := cmd.Run(); err != nil {
		s.err = fmt.Errorf("brotli: %w %s", err, strings.TrimSpace(told.String()))
	}
	return out.Len()
}

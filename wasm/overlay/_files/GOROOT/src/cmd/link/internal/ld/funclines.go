package ld

import (
	"cmd/internal/obj"
	"cmd/link/internal/loader"
	"encoding/binary"
	"flag"
	"internal/abi"
)

// funcLines leaves out of pclntab what only those read who ask in which line a PC is: every PC of a
// function is in the line where the function begins, in its file, and what was inlined into it counts
// as its own. A trace keeps its functions and the PC in each, which lead to the lines
// (wasm/lines of Tabernetes).
var funcLines = flag.Bool("funclines", false, "keep no lines but those where functions begin")

// flatTables are tables of runtime.pctab that have one value for every PC, one for each value. They
// follow the others.
type flatTables struct {
	files   []string              // in the order of their numbers
	number  map[string]int32      // of each of files
	fileOf  map[loader.Sym]string // by function
	lineOf  map[loader.Sym]int32  // where it begins
	offsets map[int32]uint32      // of a value's table, in pctab
	bytes   []byte
	at      int64 // where bytes is in pctab
}

var flat = flatTables{number: map[string]int32{}, fileOf: map[loader.Sym]string{}, lineOf: map[loader.Sym]int32{}, offsets: map[int32]uint32{}}

// table is the offset in pctab of the table with this value.
func (t *flatTables) table(value int32) uint32 { return uint32(t.at) + t.offsets[value] }

func (t *flatTables) add(value int32) {
	if _, ok := t.offsets[value]; ok {
		return
	}
	t.offsets[value] = uint32(len(t.bytes))
	const allPCs = 1 << 16                                             // of a function on wasm
	t.bytes = binary.AppendUvarint(t.bytes, uint64(uint32(value+1))*2) // from -1, zigzag
	t.bytes = binary.AppendUvarint(t.bytes, allPCs)
	t.bytes = append(t.bytes, 0)
}

// generateFuncFiles stands in for generateFilenameTabs: one file for each function, one list of files
// for all compilation units.
func (state *pclntab) generateFuncFiles(ctxt *Link, funcs []loader.Sym) {
	ldr := ctxt.loader
	for _, s := range funcs {
		fi := ldr.FuncInfo(s)
		if !fi.Valid() {
			continue
		}
		fi.Preload()
		name, ok := ownFile(ctxt, s, fi)
		if !ok {
			continue
		}
		flat.fileOf[s], flat.lineOf[s] = name, fi.StartLine()
		if _, ok := flat.number[name]; !ok {
			flat.number[name] = int32(len(flat.files))
			flat.files = append(flat.files, name)
		}
	}
	var size int64
	offsets := make([]int64, len(flat.files))
	for i, name := range flat.files {
		offsets[i] = size
		size += int64(len(expandFile(name)) + 1)
	}
	state.cutab = state.addGeneratedSym(ctxt, "runtime.cutab", int64(len(offsets)*4), 4, func(ctxt *Link, s loader.Sym) {
		sb := ctxt.loader.MakeSymbolUpdater(s)
		for i, off := range offsets {
			sb.SetUint32(ctxt.Arch, int64(i*4), uint32(off))
		}
	})
	state.nfiles = uint32(len(offsets))
	state.filetab = state.addGeneratedSym(ctxt, "runtime.filetab", size, 1, func(ctxt *Link, s loader.Sym) {
		sb := ctxt.loader.MakeSymbolUpdater(s)
		for i, off := range offsets {
			sb.AddStringAt(off, expandFile(flat.files[i]))
		}
	})
}

// ownFile is the file of the first PC that is of the function itself, not of one inlined into it.
func ownFile(ctxt *Link, s loader.Sym, fi loader.FuncInfo) (name string, ok bool) {
	ldr := ctxt.loader
	_, pcfile, _, pcinline, _ := ldr.PcdataAuxs(s, nil)
	cu := ldr.SymUnit(s)
	if pcfile == 0 || cu == nil {
		return "", false
	}
	scale := uint32(ctxt.Arch.MinLC)
	pc := uint32(0)
	if fi.NumInlTree() > 0 && pcinline != 0 {
		inline := obj.NewPCIter(scale)
		for inline.Init(ldr.Data(pcinline)); !inline.Done; inline.Next() {
			if inline.Value == -1 {
				pc = inline.PC
				break
			}
		}
	}
	files := obj.NewPCIter(scale)
	for files.Init(ldr.Data(pcfile)); !files.Done; files.Next() {
		if pc < files.NextPC && files.Value >= 0 && int(files.Value) < len(cu.FileTable) {
			return cu.FileTable[files.Value], true
		}
	}
	return "", false
}

// addFlatTables makes the tables of funcs, to lie at size of pctab, and returns what follows them.
func addFlatTables(funcs []loader.Sym, size int64) int64 {
	for _, s := range funcs {
		if name, ok := flat.fileOf[s]; ok {
			flat.add(flat.number[name])
			flat.add(flat.lineOf[s])
		}
	}
	flat.at = size
	return size + int64(len(flat.bytes))
}

// fileAndLine are the offsets of a function's tables; 0 says that there is none.
func fileAndLine(s loader.Sym) (file, line uint32) {
	name, ok := flat.fileOf[s]
	if !ok {
		return 0, 0
	}
	return flat.table(flat.number[name]), flat.table(flat.lineOf[s])
}

// keptPCData is how many tables by PC a function keeps, of n. Unsafe points (one of them) are read on
// preemption, of which wasm has none; what follows the stack maps leads to inlined calls and to
// arguments.
func keptPCData(n uint32) uint32 {
	if !*funcLines {
		return n
	}
	return min(n, abi.PCDATA_StackMapIndex+1)
}

func dropsPCData(i int) bool { return *funcLines && i != abi.PCDATA_StackMapIndex }

// keptFuncData is how many data a function keeps, of n. What says how to print arguments stands last
// but for one that is rare.
func keptFuncData(n int) int {
	if *funcLines && n > abi.FUNCDATA_ArgInfo && n <= abi.FUNCDATA_WrapInfo {
		return abi.FUNCDATA_ArgInfo
	}
	return n
}

func dropsFuncData(i int) bool {
	return *funcLines && (i == abi.FUNCDATA_ArgInfo || i == abi.FUNCDATA_ArgLiveInfo)
}

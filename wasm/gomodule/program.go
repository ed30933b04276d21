package gomodule

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Indices into a function's tables, of internal/abi/symtab.go.
const (
	PCDataUnsafePoint  = 0
	PCDataInlinedCalls = 2
	FuncDataInlined    = 3
)

// none is the offset of a datum that a function has not.
const none = ^uint32(0)

// Program is what the runtime reads of itself: runtime.moduledata, as far as it is of use here.
type Program struct {
	memory []byte

	// Parts of pclntab, in the order of memory.
	PCHeader                                    uint64 // an address
	FuncNames, Units, Files, PCTab, Funcs, Data Part
	FindFuncTab                                 Part
	// Types and sections of data.
	Types, NoPtrData, PtrData Part

	Functions []Function
}

// Part is a range of linear memory, in bytes.
type Part struct{ At, Size uint64 }

// Function is one entry of runtime.ftab. Offsets are into PCTab and Data; 0 and none say that there is none.
type Function struct {
	Name               string
	PCSP, PCFile, PCLn uint32
	PCData, FuncData   []uint32

	unit uint32 // where its files begin in Units
}

// Bytes is what linear memory holds there.
func (p *Program) Bytes(r Part) []byte { return p.memory[r.At : r.At+r.Size] }

func (p *Program) u32(at uint64) uint32 { return binary.LittleEndian.Uint32(p.memory[at:]) }
func (p *Program) u64(at uint64) uint64 { return binary.LittleEndian.Uint64(p.memory[at:]) }

// Program finds the tables that Go's linker made. Whatever is not as Go 1.26 makes it is an error.
func (m *Module) Program() (p *Program, err error) {
	defer func() {
		if r := recover(); r != nil { // an address that leads out of memory
			err = fmt.Errorf("the runtime's tables are not as expected: %v", r)
		}
	}()
	p = &Program{memory: m.Memory}
	magic := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8} // abi.CurrentPCLnTabMagic, quantum, pointer size
	at := bytes.Index(p.memory, magic)
	if at < 0 || at%8 != 0 {
		return nil, errors.New("no pclntab of Go 1.26")
	}
	p.PCHeader = uint64(at)
	var pointer [8]byte
	binary.LittleEndian.PutUint64(pointer[:], p.PCHeader)
	names := p.PCHeader + p.u64(p.PCHeader+32)
	for from := 0; ; from += 8 {
		i := bytes.Index(p.memory[from:], pointer[:])
		if i < 0 {
			return nil, errors.New("no moduledata")
		}
		if from += i; from%8 == 0 && p.u64(uint64(from)+8) == names {
			p.readFunctions(p.readModuledata(uint64(from)))
			break
		}
	}
	if len(p.Functions) != len(m.Bodies) {
		return nil, fmt.Errorf("%d functions in Go's table, %d in the module", len(p.Functions), len(m.Bodies))
	}
	return p, nil
}

func (p *Program) readModuledata(at uint64) (ftab Part) {
	at += 8
	slice := func(element uint64) Part {
		s := Part{p.u64(at), p.u64(at+8) * element}
		at += 24
		return s
	}
	word := func() uint64 {
		at += 8
		return p.u64(at - 8)
	}
	// Zeros at the end of the data are not in the module.
	between := func(from, to uint64) Part { return Part{from, min(to, uint64(len(p.memory))) - from} }
	p.FuncNames, p.Units, p.Files, p.PCTab, p.Funcs = slice(1), slice(4), slice(1), slice(1), slice(1)
	ftab = slice(8)
	p.FindFuncTab.At = word()
	at += 4 * 8 // minpc, maxpc, text, etext
	p.NoPtrData = between(word(), word())
	p.PtrData = between(word(), word())
	at += 9 * 8 // bss, noptrbss, covctrs, end, gcdata, gcbss
	p.Types = between(word(), word())
	at += 8 // rodata
	p.Data = between(word(), p.FindFuncTab.At)
	p.Funcs = between(p.Funcs.At, p.Data.At)
	// Nothing stands between it and the next section but what aligns that.
	p.FindFuncTab = between(p.FindFuncTab.At, p.NoPtrData.At)
	return ftab
}

func (p *Program) readFunctions(ftab Part) {
	const entry, fixed = 8, 44 // bytes of runtime.functab and of runtime._func
	p.Functions = make([]Function, ftab.Size/entry-1)
	first := p.u32(ftab.At)
	for i := range p.Functions {
		f := &p.Functions[i]
		if index := p.u32(ftab.At + entry*uint64(i)); index != first+uint32(i) {
			panic(fmt.Sprintf("function %d is number %d", i, index-first))
		}
		at := p.Funcs.At + uint64(p.u32(ftab.At+entry*uint64(i)+4))
		f.Name = p.text(p.FuncNames.At + uint64(p.u32(at+4)))
		f.PCSP, f.PCFile, f.PCLn = p.u32(at+16), p.u32(at+20), p.u32(at+24)
		f.unit = p.u32(at + 32)
		f.PCData = make([]uint32, p.u32(at+28))
		f.FuncData = make([]uint32, p.memory[at+43])
		at += fixed
		for _, table := range [][]uint32{f.PCData, f.FuncData} {
			for j := range table {
				table[j] = p.u32(at)
				at += 4
			}
		}
	}
}

func (p *Program) text(at uint64) string {
	end := bytes.IndexByte(p.memory[at:], 0)
	return string(p.memory[at : at+uint64(end)])
}

// PCTable reads the table at off of PCTab: its length in bytes, and by yield each value with the PC,
// counted from the function's entry, at which it ends.
func (p *Program) PCTable(off uint32, yield func(end uint32, value int32)) (size uint64) {
	at := p.PCTab.At + uint64(off)
	begin, value, pc := at, int32(-1), uint32(0)
	for first := true; ; first = false {
		delta, n := binary.Uvarint(p.memory[at:])
		if delta == 0 && !first {
			return at + 1 - begin
		}
		value += int32(-(uint32(delta) & 1) ^ uint32(delta)>>1)
		at += uint64(n)
		step, n := binary.Uvarint(p.memory[at:])
		at += uint64(n)
		pc += uint32(step)
		yield(pc, value)
	}
}

// at is the value of a table at a PC; -1 if there is none.
func (p *Program) at(off, pc uint32) int32 {
	found := int32(-1)
	if off == 0 {
		return found
	}
	done := false
	p.PCTable(off, func(end uint32, value int32) {
		if !done && pc < end {
			found, done = value, true
		}
	})
	return found
}

// Frame is a function and the line of it that a PC is in.
type Frame struct {
	Function string
	File     string // "?" if it is not known
	Line     int
}

// Frames are what the PC, counted from the function's entry, is in: the innermost inlined call first.
func (p *Program) Frames(f *Function, pc uint32) (frames []Frame) {
	for {
		frame := Frame{File: "?"}
		if file, line := p.at(f.PCFile, pc), p.at(f.PCLn, pc); file >= 0 && line >= 0 {
			if off := p.u32(p.Units.At + 4*uint64(f.unit+uint32(file))); off != none {
				frame.File, frame.Line = p.text(p.Files.At+uint64(off)), int(line)
			}
		}
		call := int32(-1)
		if len(f.FuncData) > FuncDataInlined && f.FuncData[FuncDataInlined] != none && len(f.PCData) > PCDataInlinedCalls {
			call = p.at(f.PCData[PCDataInlinedCalls], pc)
		}
		if call < 0 {
			frame.Function = f.Name
			return append(frames, frame)
		}
		// runtime.inlinedCall
		at := p.Data.At + uint64(f.FuncData[FuncDataInlined]) + 16*uint64(call)
		frame.Function = p.text(p.FuncNames.At + uint64(p.u32(at+4)))
		frames = append(frames, frame)
		pc = p.u32(at + 8)
	}
}

// PackageOf is the import path in a function's name.
func PackageOf(name string) string {
	bare, _, _ := strings.Cut(name, "[") // of a generic function: its own package, not its argument's
	for _, made := range []string{"type:.eq.", "type:.hash.", "go:"} {
		if strings.HasPrefix(name, made) {
			return "(made by compiler and linker)"
		}
	}
	slash := strings.LastIndex(bare, "/") + 1
	dot := strings.Index(bare[slash:], ".")
	if dot < 0 {
		return "(assembly)"
	}
	return strings.ReplaceAll(bare[:slash+dot], "%2e", ".")
}

package overlay

// linked is the table of the linker: cmd/link of the toolchain that compiles, with what follows. It
// is a table of its own because the linker is a native program, which must not see the rest.
var linked = []Entry{
	{
		Path:   "GOROOT/src/cmd/link/internal/ld/pcln.go",
		SHA256: pclnHash,
		Missing: "nothing: runtime.findfunctab has 320 bytes for each function, which the runtime does not read on wasm (see runtime/symtab.go); " +
			"lines, inlined calls, arguments and unsafe points are a fifth of what is transferred, and read for messages only (wasm memory, transfer)",
		Instead: "one word, for moduledata to point at; with -funclines the line where a function begins for all of it (ADR 25)",
		Edits: []Edit{
			first("func (ctxt *Link) findfunctab(state *pclntab, container loader.Bitmap) {",
				"if ctxt.IsWasm() {\n"+
					"\tstate.findfunctab = ctxt.createGeneratorSymbol(\"runtime.findfunctab\", 0, sym.SPCLNTAB, 4, func(*Link, loader.Sym) {})\n"+
					"\tctxt.loader.SetSymAlign(state.findfunctab, 4)\n"+
					"\tctxt.loader.SetAttrReachable(state.findfunctab, true)\n"+
					"\tctxt.loader.SetAttrLocal(state.findfunctab, true)\n"+
					"\treturn\n"+
					"}"),
			// Names of functions that are inlined only.
			{"\t\tfor i, ni := 0, fi.NumInlTree(); i < int(ni); i++ {\n", "\t\tfor i, ni := 0, fi.NumInlTree(); i < int(ni) && !*funcLines; i++ {\n"},
			first("func makeInlSyms(ctxt *Link, funcs []loader.Sym, nameOffsets map[loader.Sym]uint32) map[loader.Sym]loader.Sym {",
				"if *funcLines {\n\treturn nil\n}"),
			first("func (state *pclntab) generateFilenameTabs(ctxt *Link, compUnits []*sym.CompilationUnit, funcs []loader.Sym) []uint32 {",
				"if *funcLines {\n\tstate.generateFuncFiles(ctxt, funcs)\n\treturn make([]uint32, len(compUnits))\n}"),
			{"\t\tpcSyms := []loader.Sym{pcsp, pcfile, pcline}\n",
				"\t\tif *funcLines {\n\t\t\tsaveOffset(pcsp)\n\t\t\tfor i, pcSym := range pcdata {\n\t\t\t\tif !dropsPCData(i) {\n\t\t\t\t\tsaveOffset(pcSym)\n\t\t\t\t}\n\t\t\t}\n\t\t\tcontinue\n\t\t}\n" +
					"\t\tpcSyms := []loader.Sym{pcsp, pcfile, pcline}\n"},
			{"\t\tfor sym := range seen {\n\t\t\tsb.SetBytesAt(ldr.SymValue(sym), ldr.Data(sym))\n\t\t}\n\t}\n",
				"\t\tfor sym := range seen {\n\t\t\tsb.SetBytesAt(ldr.SymValue(sym), ldr.Data(sym))\n\t\t}\n\t\tif *funcLines {\n\t\t\tsb.SetBytesAt(flat.at, flat.bytes)\n\t\t}\n\t}\n" +
					"\tif *funcLines {\n\t\tsize = addFlatTables(funcs, size)\n\t}\n"},
			first("func ignoreFuncData(ldr *loader.Loader, s loader.Sym, j int, fdSym loader.Sym) bool {",
				"if dropsFuncData(j) {\n\treturn true\n}"),
			{"\t\t\tnumPCData = abi.PCDATA_InlTreeIndex + 1\n\t\t}\n\t}\n\treturn numPCData\n",
				"\t\t\tnumPCData = abi.PCDATA_InlTreeIndex + 1\n\t\t}\n\t}\n\treturn keptPCData(numPCData)\n"},
			{"\t\tfdSyms = ldr.Funcdata(s, fdSyms)\n", "\t\tfdSyms = ldr.Funcdata(s, fdSyms)\n\t\tfdSyms = fdSyms[:keptFuncData(len(fdSyms))]\n"},
			{"\t\t\tnumFuncData := ldr.NumFuncdata(s)\n", "\t\t\tnumFuncData := keptFuncData(ldr.NumFuncdata(s))\n"},
			{"\t\t\toff = sb.SetUint32(ctxt.Arch, off, uint32(ldr.SymValue(pcfile)))\n\t\t\toff = sb.SetUint32(ctxt.Arch, off, uint32(ldr.SymValue(pcline)))\n",
				"\t\t\tif file, line := fileAndLine(s); *funcLines {\n\t\t\t\toff = sb.SetUint32(ctxt.Arch, off, file)\n\t\t\t\toff = sb.SetUint32(ctxt.Arch, off, line)\n\t\t\t\tstartLine = 0 // for profiles; the line says it\n\t\t\t} else {\n" +
					"\t\t\toff = sb.SetUint32(ctxt.Arch, off, uint32(ldr.SymValue(pcfile)))\n\t\t\toff = sb.SetUint32(ctxt.Arch, off, uint32(ldr.SymValue(pcline)))\n\t\t\t}\n"},
			{"\t\t\tfor j, pcSym := range pcdata {\n\t\t\t\tsb.SetUint32(", "\t\t\tfor j, pcSym := range pcdata {\n\t\t\t\tif dropsPCData(j) {\n\t\t\t\t\tcontinue\n\t\t\t\t}\n\t\t\t\tsb.SetUint32("},
			{"\t\t\tif fi.NumInlTree() > 0 {\n\t\t\t\tsb.SetUint32(", "\t\t\tif fi.NumInlTree() > 0 && !*funcLines {\n\t\t\t\tsb.SetUint32("},
		},
	},
	{
		Path:    "GOROOT/src/cmd/link/internal/ld/funclines.go",
		From:    "GOROOT/src/cmd/link/internal/ld/pcln.go",
		SHA256:  pclnHash,
		Added:   true,
		Missing: "-funclines",
		Instead: "what pcln.go calls for it",
	},
}

// pclnHash is of cmd/link/internal/ld/pcln.go.
var pclnHash = []string{"6562c101bb8555579af885b2ea016007d76db7fccf00de993ac0398e25cb0e99"}

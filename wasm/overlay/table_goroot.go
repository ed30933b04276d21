package overlay

// goroot is the Go distribution's part of the table. Each change there recompiles everything
// for js, so these files are hooks only; what they call lies in wasm/goroot and wasm/memfs.
var goroot = []Entry{
	{
		Path:    "GOROOT/src/syscall/fs_js.go",
		SHA256:  []string{"3c2647c02dda3e153206b26e2fa7215b3aad2e6e2f06080c4c61125e52dbfe67"},
		Missing: "a file system inside linear memory: every call leaves for JavaScript, which has none in a browser",
		Instead: "each call asks the hook of files_js.go first (wasm/memfs)",
		Edits:   fileEdits,
	},
	{
		Path:    "GOROOT/src/syscall/files_js.go",
		From:    "GOROOT/src/syscall/fs_js.go",
		SHA256:  []string{"3c2647c02dda3e153206b26e2fa7215b3aad2e6e2f06080c4c61125e52dbfe67"},
		Added:   true,
		Missing: "the hook itself",
		Instead: "an interface, set once by wasm/goroot",
	},
	{
		Path:    "GOROOT/src/syscall/syscall_js.go",
		SHA256:  []string{"3576e1890a9372b42369f4edfac135bd7d9b4d11c067433e7204959c08612166"},
		Missing: "a user, a process id, a umask and a host name: -1, -1, a panic and \"js\" in a browser",
		Instead: "root, process 1, the file system's umask, \"tabernetes\"",
		Edits: []Edit{
			{`s := errorstr[e]`, `s := linuxText(e)`},
			{`return "js", nil`, `return "tabernetes", nil`},
			{`return jsProcess.Call("getuid").Int()`, `return 0`},
			{`return jsProcess.Call("getgid").Int()`, `return 0`},
			{`return jsProcess.Call("geteuid").Int()`, `return 0`},
			{`return jsProcess.Call("getegid").Int()`, `return 0`},
			{`return jsProcess.Get("pid").Int()`, `return 1`},
			{`return jsProcess.Get("ppid").Int()`, `return 0`},
			first("func Getgroups() (groups []int, err error) {", "if true {\n\treturn []int{0}, nil\n}"),
			first("func Umask(mask int) (oldmask int) {", "if inMemory != nil {\n\treturn inMemory.Umask(mask)\n}"),
		},
	},
	{
		Path:    "GOROOT/src/syscall/unix_js.go",
		From:    "GOROOT/src/syscall/syscall_js.go",
		SHA256:  []string{"3576e1890a9372b42369f4edfac135bd7d9b4d11c067433e7204959c08612166"},
		Added:   true,
		Missing: "names that upstream uses wherever it is not on Windows: SIGHUP, SIGUSR2, SO_LINGER, Flock, UnixRights, Access, Exec (kubectl, pkg/probe, etcd fileutil, go-systemd, mount-utils, the scheduler's debugger)",
		Instead: "the names, with the little behaviour that one program without a kernel can have",
	},
	{
		Path:    "GOROOT/src/syscall/errors_js.go",
		From:    "GOROOT/src/syscall/tables_js.go",
		SHA256:  []string{"f5b2f6043f1787ae39a48bbc81d4f84e5bcf3948aa27fe6ae221394567fa42ee"},
		Added:   true,
		Missing: "Linux' texts of errors: \"No such file or directory\", \"Connection refused\" with capitals, \"Bad file number\"",
		Instead: "the texts as on Linux, which users know and some of upstream looks for",
	},
	{
		Path:    "GOROOT/src/os/proc.go",
		SHA256:  []string{"54ed65b25fe5251adb4b7799117f38ba0b2176610f2d21b333a7a5745e988200"},
		Missing: "a way to survive os.Exit, which stands in about 25 places of upstream and ends the whole tab",
		Instead: "Exit asks a hook first, which names the component and parks the goroutine",
		Edits:   []Edit{first("func Exit(code int) {", "if exitHook != nil {\n\texitHook(code)\n}")},
	},
	{
		Path:    "GOROOT/src/os/exit_js.go",
		From:    "GOROOT/src/os/proc.go",
		SHA256:  []string{"54ed65b25fe5251adb4b7799117f38ba0b2176610f2d21b333a7a5745e988200"},
		Added:   true,
		Missing: "the hook of Exit",
		Instead: "a variable, set by wasm/goroot",
	},
	{
		Path:    "GOROOT/src/net/interface_stub.go",
		SHA256:  []string{"da6e430fd555e2c2acaec31f241e7d3ae5265e6f543bc20652481a6ae066c920"},
		Missing: "interfaces: net.InterfaceAddrs is empty, and the kubelet finds no address for its node",
		Instead: "one interface with the addresses set through wasm/goroot",
		Edits: []Edit{
			{
				"func interfaceTable(ifindex int) ([]Interface, error) {\n\treturn nil, nil\n",
				"func interfaceTable(ifindex int) ([]Interface, error) {\n\tif ifindex > loopback.Index {\n\t\treturn nil, nil\n\t}\n\treturn []Interface{loopback}, nil\n",
			},
			{
				"func interfaceAddrTable(ifi *Interface) ([]Addr, error) {\n\treturn nil, nil\n",
				"func interfaceAddrTable(ifi *Interface) ([]Addr, error) {\n\treturn interfaceAddrs(), nil\n",
			},
		},
	},
	{
		Path:    "GOROOT/src/net/interfaces_js.go",
		From:    "GOROOT/src/net/interface_stub.go",
		SHA256:  []string{"da6e430fd555e2c2acaec31f241e7d3ae5265e6f543bc20652481a6ae066c920"},
		Added:   true,
		Missing: "the addresses, and ports above 32767 for listeners on port 0",
		Instead: "a list, set through wasm/goroot; the counter of ports starts where Linux' does",
	},
	{
		Path:    "GOROOT/src/net/net_fake.go",
		SHA256:  []string{"784b369c57be52fa87ace5f10e07e3c24b45d549639e1487734b793024188df3"},
		Missing: "ECONNREFUSED is flattened to a string, which client-go's retries and the probes look for; a server on 0.0.0.0 is not reached by its addresses",
		Instead: "the errno is kept; a dial that finds no listener on its address tries the wildcard ones, as Linux does",
		Edits: []Edit{
			{
				"\t\tif errors.Is(err, syscall.EADDRINUSE) {\n\t\t\treturn err\n\t\t}\n\t\tif terr, ok :=",
				"\t\tif errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.ECONNREFUSED) {\n\t\t\treturn err\n\t\t}\n\t\tif terr, ok :=",
			},
			{
				"\tlni, ok := sockets.Load(fa)\n",
				"\tlni, ok := sockets.Load(fa)\n" +
					"\tif ta, isTCP := raddr.(*TCPAddr); !ok && isTCP {\n" +
					"\t\tfor _, any := range []IP{IPv4zero.To4(), IPv6zero} {\n" +
					"\t\t\tif lni, ok = sockets.Load(fakeAddr(&TCPAddr{IP: any, Port: ta.Port})); ok {\n" +
					"\t\t\t\tbreak\n" +
					"\t\t\t}\n" +
					"\t\t}\n" +
					"\t}\n",
			},
		},
	},
	{
		Path:    "GOROOT/src/net/http/transport_default_wasm.go",
		SHA256:  []string{"45f994092ea1a8c432f97fc3d4673a251eabe87fd0310d2d20bbb0c3bd637993"},
		Missing: "a DialContext in http.DefaultTransport",
		Instead: "the dialer, as on every other platform",
		Edits:   []Edit{{"\treturn nil\n", "\treturn dialer.DialContext\n"}},
	},
	{
		Path:    "GOROOT/src/net/http/roundtrip_js.go",
		SHA256:  []string{"9a0297382ff65e54046fb0f316732d6ddebb1b32f2cff81e58c0cef96b811138"},
		Missing: "in a browser, not under Node, every http.Transport without a dialer leaves the cluster by fetch",
		Instead: "never fetch: in the tab as under Node everything goes over the in-memory network",
		Edits:   []Edit{{"var jsFetchDisabled = js.Global()", "var jsFetchDisabled = true || js.Global()"}},
	},
	{
		Path:    "GOROOT/src/runtime/lock_js.go",
		SHA256:  []string{"458487e20f1eb9c8fc37f0ebf9207e4ff9997ab4e5508e1e786d53079ec4d1c1"},
		Missing: "a turn for JavaScript's events while goroutines are runnable",
		Instead: "a goroutine that hostTurn resumed pauses only if no newer call from JavaScript is under way; when JavaScript called last is known",
		Edits: []Edit{{
			"\tsched.idleTime.Add(nanotime() - idleStart)\n",
			"\tsched.idleTime.Add(nanotime() - idleStart)\n\tif len(events) == 0 {\n\t\thostCalled = nanotime() // its event loop did, and no callback\n\t}\n",
		}, {
			"\te.returned = true\n\tgopark(nil, nil, waitReasonZero, traceBlockGeneric, 1)\n\n\tevents[",
			"\tfor {\n\t\te.returned = true\n\t\tgopark(nil, nil, waitReasonZero, traceBlockGeneric, 1)\n" +
				"\t\tif events[len(events)-1] == e {\n\t\t\tbreak\n\t\t}\n\t}\n\n\tevents[",
		}},
	},
	{
		Path:    "GOROOT/src/runtime/turn_js.go",
		From:    "GOROOT/src/runtime/lock_js.go",
		SHA256:  []string{"458487e20f1eb9c8fc37f0ebf9207e4ff9997ab4e5508e1e786d53079ec4d1c1"},
		Added:   true,
		Missing: "the way to ask for that turn",
		Instead: "hostTurn, called by wasm/goroot",
	},
	{
		Path:    "GOROOT/src/runtime/symtab.go",
		SHA256:  []string{"556bdcf7743dc7be1c7c6bef9f95b968879c152696a4fa96afb6b6c48e2f45e9"},
		Missing: "nothing: runtime.findfunctab, which leads from a PC to its function, has 20 bytes for each 4 KiB of PCs; on wasm a function owns 64 KiB of them, so that the table is a fifth of the module's memory (wasm memory, transfer)",
		Instead: "on wasm a PC's upper bits are the function's index: its entry in ftab is there, or before it where the linker left functions out (ADR 25)",
		Edits: []Edit{{
			"\tx := uintptr(pcOff) + datap.text - datap.minpc",
			"\tif GOARCH == \"wasm\" {\n" +
				"\t\tidx := min(uintptr(pcOff-datap.ftab[0].entryoff), uintptr(len(datap.ftab)-2))\n" +
				"\t\tfor datap.ftab[idx].entryoff > pcOff {\n" +
				"\t\t\tidx--\n" +
				"\t\t}\n" +
				"\t\treturn funcInfo{(*_func)(unsafe.Pointer(&datap.pclntable[datap.ftab[idx].funcoff])), datap}\n" +
				"\t}\n" +
				"\tx := uintptr(pcOff) + datap.text - datap.minpc",
		}},
	},
	{
		Path:    "GOROOT/src/runtime/asm_wasm.s",
		SHA256:  []string{"406725addd53e6fd76860955eca05df43550c6a3c6e4a16dd8b98037d2a4a97f"},
		Missing: "calls as deep as Go's stack: they are on the engine's, too, and its end is the program's (golang/go#70829)",
		Instead: "a frame that goes on raises its goroutine's guard, so that each step of its stack goes through morestack",
		Edits: []Edit{{
			"\tloop:\n\t\tLoop\n\t\t\t// Get PC_B & PC_F from -8(SP)\n",
			"\tloop:\n\t\tLoop\n" + raiseStackGuard + "\t\t\t// Get PC_B & PC_F from -8(SP)\n",
		}},
	},
	{
		Path:    "GOROOT/src/runtime/stack.go",
		SHA256:  []string{"0225942ade2eed1e4ec5a0e813c66b3ed06c142c33c987b2fd9e031a0b871d3d"},
		Missing: "the same",
		Instead: "morestack takes all calls off the engine's stack, and grows Go's only if that is full",
		Edits: []Edit{
			{
				"\t// Allocate a bigger segment and move the stack.\n\toldsize :=",
				"\tif stackguard0 != stackForceMove && lowerStackGuard(gp, stackguard0) {\n\t\tgogo(&gp.sched)\n\t}\n\n" +
					"\t// Allocate a bigger segment and move the stack.\n\toldsize :=",
			},
			{
				"\tcasgstatus(gp, _Gcopystack, _Grunning)\n\tgogo(",
				"\tcasgstatus(gp, _Gcopystack, _Grunning)\n\tlowerStackGuard(gp, ^uintptr(0))\n\tgogo(",
			},
		},
	},
	{
		Path:    "GOROOT/src/runtime/preempt.go",
		SHA256:  []string{"c50342a043676dab55b58ea9aabc90a04cfb0c0cdd9a70e475239ba9460f5ce3"},
		Missing: "the same: a goroutine that helps the collector scans its own stack, and goes on with the calls it has",
		Instead: "its guard stays, unless that asks for something",
		Edits: []Edit{{
			"\t\t\tgp.stackguard0 = gp.stack.lo + stackGuard\n",
			"\t\t\tif gp.stackguard0 > gp.stack.hi {\n\t\t\t\tgp.stackguard0 = gp.stack.lo + stackGuard\n\t\t\t}\n",
		}},
	},
	{
		Path:    "GOROOT/src/runtime/stack_js.go",
		From:    "GOROOT/src/runtime/stack.go",
		SHA256:  []string{"0225942ade2eed1e4ec5a0e813c66b3ed06c142c33c987b2fd9e031a0b871d3d"},
		Added:   true,
		Missing: "the same",
		Instead: "the size of a step, and where the next guard stands",
	},
}

// raiseStackGuard goes before the call of a frame in wasm_pc_f_loop. Of one that goes on (PC_B is
// not 0) no caller is on the engine's stack; one at its beginning has what lowerStackGuard gave it.
// The guards that ask for something (stackPreempt) are above every stack, and stay.
const raiseStackGuard = `			Get SP
			I32Const $8
			I32Sub
			I32Load16U $0 // PC_B
			If
				Get g
				I32WrapI64
				I32Load $g_stackguard0
				Get SP
				I32LtU
				If
					Get SP
					Get g
					I32WrapI64
					I32Load $g_stackguard0
					I32Sub
					I32Const $const_engineStackMost
					I32GtU
					If
						Get g
						I32WrapI64
						Get SP
						I32Const $const_engineStackStep
						I32Sub
						I64ExtendI32U
						I64Store $g_stackguard0
					End
				End
			End

`

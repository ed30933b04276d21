package overlay

// costly is the part of the table for what works on js and costs too much there; each names the
// figure of docs/performance.md that it is for.
var costly = []Entry{
	{
		Path:    "vendor/k8s.io/apiserver/pkg/storage/cacher/watch_cache.go",
		SHA256:  []string{"234b7cf959677e7325c1e5662272ee67e687a39c977b9842e37c5026a7d710d8"},
		Missing: "nothing: the watch cache of a kind keeps, decoded, what came within 75 seconds, up to 102,400 events, and linear memory never shrinks (no flag of upstream's bounds it: ADR 29)",
		Instead: "up to 1,024: whoever falls further behind lists again",
		Edits:   []Edit{{"defaultUpperBoundCapacity = 100 * 1024\n", "defaultUpperBoundCapacity = 1024\n"}},
	},
	{
		Path:    "vendor/k8s.io/client-go/tools/record/events_cache.go",
		SHA256:  []string{"f85981cca87ac40cce3ca786e22c2254daf60be43ea9b7cb39c6143d0aabd143"},
		Missing: "nothing: who records Events remembers the last 4,096, three times over, to count like ones together, and each kubelet and controller does; linear memory never shrinks (ADR 29)",
		Instead: "the last 1,024: an Event that comes again after so many others of the same component is one of its own",
		Edits:   []Edit{{"maxLruCacheEntries = 4096\n", "maxLruCacheEntries = 1024\n"}},
	},
	{
		Path:    "vendor/k8s.io/client-go/util/cert/cert.go",
		SHA256:  []string{"2bda966480b691a01ad0e4931556c45bb23dce513204dc5d686b64d85f4ae784"},
		Missing: "nothing: the apiserver's loopback certificate, made at every start, takes two RSA keys, which are a fifth of the time before its chain is built (page open to /readyz)",
		Instead: "ECDSA P-256 keys, as those of core/pki",
		Edits: []Edit{
			{"\t\"crypto/rsa\"\n", "\t\"crypto/ecdsa\"\n\t\"crypto/elliptic\"\n"},
			{"caKey, err := rsa.GenerateKey(cryptorand.Reader, 2048)", "caKey, err := ecdsa.GenerateKey(elliptic.P256(), cryptorand.Reader)"},
			{"priv, err := rsa.GenerateKey(cryptorand.Reader, 2048)", "priv, err := ecdsa.GenerateKey(elliptic.P256(), cryptorand.Reader)"},
			{
				"\tif err := pem.Encode(&keyBuffer, &pem.Block{Type: keyutil.RSAPrivateKeyBlockType, Bytes: x509.MarshalPKCS1PrivateKey(priv)}); err != nil {\n",
				"\tprivDER, err := x509.MarshalECPrivateKey(priv)\n\tif err != nil {\n\t\treturn nil, nil, err\n\t}\n\tif err := pem.Encode(&keyBuffer, &pem.Block{Type: keyutil.ECPrivateKeyBlockType, Bytes: privDER}); err != nil {\n",
			},
		},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/volumemanager/volume_manager.go",
		SHA256:  []string{"b74cda4d2f65ba294530ab8e14cdf6a7f32d0c4e7d4387b17a6ab6944984eda9"},
		Missing: "nothing: a pod waits for its volumes in steps of 300 ms, and in memory they are there at once (apply to pods Ready)",
		Instead: "steps of 50 ms",
		Edits:   []Edit{{"podAttachAndMountRetryInterval = 300 * time.Millisecond", "podAttachAndMountRetryInterval = 50 * time.Millisecond"}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/controlplane/apiserver/config.go",
		SHA256:  []string{"d24185dc40530e53e0de6383555ac6fcdea3d17ea0d17b74398f6cb9e444b551"},
		Missing: "nothing: the apiserver's own informers are given a client over TLS before anybody can say otherwise, and start with a handshake each (page open to /readyz)",
		Instead: "a hook through which core/apiserver keeps that client in the process",
		Edits: []Edit{
			{"// BuildGenericConfig takes the generic", "var configureLoopback func(*genericapiserver.Config)\n\n// BuildGenericConfig takes the generic"},
			{
				"	kubeClientConfig := genericConfig.LoopbackClientConfig\n",
				"	if configureLoopback != nil {\n		configureLoopback(genericConfig)\n	}\n	kubeClientConfig := genericConfig.LoopbackClientConfig\n",
			},
		},
	},
	{
		Path:    "vendor/k8s.io/apiserver/pkg/server/mux/pathrecorder.go",
		SHA256:  []string{"b109f235fd9ac28acd7244f3121dc15207d8bf0bc026a596cfdd2a7d9f555c62"},
		Missing: "nothing: each path that the apiserver serves keeps the stack of its registration, walked and printed, for the message of a second one (page open to /readyz)",
		Instead: "none",
		Edits: []Edit{
			{"	stack := string(debug.Stack())\n", "	stack := \"(not kept)\"\n"},
			{"	\"runtime/debug\"\n", ""},
		},
	},
	{
		Path:    "vendor/github.com/alicebob/miniredis/v2/miniredis.go",
		SHA256:  []string{"1a2fc0b159484ac01570cd8d45a35d5ead30765613a62d60a5a00bf56c879c70"},
		Missing: "nothing: commands that core/node/image/redis refuses bring a Lua and more with them (transfer)",
		Instead: "those commands are not registered",
		Edits: []Edit{
			{"\tcommandsStream(m)\n", ""},
			{"\tcommandsScripting(m)\n\tcommandsGeo(m)\n\tcommandsCluster(m)\n\tcommandsHll(m)\n", ""},
		},
	},
	{
		Path:    "vendor/github.com/alicebob/miniredis/v2/cmd_scripting.go",
		SHA256:  []string{"74a35330a9baa4024ecf8b4b48783999b9151e8625ed152fa8decb4bbe32eb99"},
		Missing: "nothing: the Lua (transfer)",
		Instead: "left out on js",
		Edits:   []Edit{{"package miniredis\n\nimport (", "//go:build !js\n\npackage miniredis\n\nimport ("}},
	},
	{
		Path:    "vendor/github.com/alicebob/miniredis/v2/lua.go",
		SHA256:  []string{"64d62ec05ced11582b613f42baf499f49e87c12abc18deeaa5603ce5f27c9b04"},
		Missing: "nothing: the Lua (transfer)",
		Instead: "left out on js",
		Edits:   []Edit{{"package miniredis\n\nimport (", "//go:build !js\n\npackage miniredis\n\nimport ("}},
	},
	{
		Path:    "GOROOT/src/text/template/exec.go",
		SHA256:  []string{"ca14feb551ec536deeddfd46efdfa60d1c328e6d1b00cd5aa6ca944e379c282a"},
		Missing: "nothing: a template may name any method of any type, so that the linker keeps all of them (transfer)",
		Instead: "a hook that wasm/main sets to the methods which kubectl's own templates name",
		Edits:   []Edit{{"ptr.MethodByName(fieldName); method.IsValid()", "methodOf(ptr, fieldName); method.IsValid()"}},
	},
	{
		Path:    "GOROOT/src/text/template/methods_js.go",
		From:    "GOROOT/src/text/template/exec.go",
		SHA256:  []string{"ca14feb551ec536deeddfd46efdfa60d1c328e6d1b00cd5aa6ca944e379c282a"},
		Added:   true,
		Missing: "the hook",
		Instead: "see exec.go",
	},
	{
		Path:    "vendor/github.com/google/go-cmp/cmp/internal/value/name.go",
		SHA256:  []string{"b9603406c33ff8a1b33f12f268dea21549a40293df940a783f6f7db552601140"},
		Missing: "nothing: it asks for a method by number, so that the linker keeps all methods of all types (transfer)",
		Instead: "the type's own name where a difference names an interface without a name",
		Edits: []Edit{
			{"	case reflect.Interface:\n		b = append(b, \"interface{ \"...)\n		for i := 0; i < t.NumMethod(); i++ {\n", "	case reflect.Interface:\n		return append(b, t.String()...)\n		b = append(b, \"interface{ \"...)\n		for i := 0; i < 0; i++ {\n"},
			{"			m := t.Method(i)\n", "			var m reflect.Method\n"},
		},
	},
	{
		Path:    "GOROOT/src/runtime/proc.go",
		SHA256:  []string{"b0ea864c1dd251cd9146644863ae9126ca57761dff05862dc80ab0799925fec6"},
		Missing: "nothing: each request to the apiserver runs on three goroutines one after the other, each of which grows its stack four times, and the grown stack of one that ends is thrown away: a twentieth of everything that a cluster does",
		Instead: "a goroutine that ends leaves a stack of up to 32 KB to the next",
		Edits: []Edit{
			{"	if stksize != uintptr(startingStackSize) {\n", "	if stksize > 32<<10 {\n"},
			{"gp.stack.hi-gp.stack.lo != uintptr(startingStackSize) {\n", "gp.stack.hi-gp.stack.lo < uintptr(startingStackSize) {\n"},
			// A goroutine that begins with a large stack has a guard in it, too: see asm_wasm.s.
			{
				"\tgp.stackguard0 = gp.stack.lo + stackGuard\n\tif !inheritTime {\n",
				"\tgp.stackguard0 = gp.stack.lo + stackGuard\n" +
					"\tif gp.sched.sp-gp.stackguard0 > engineStackMost {\n\t\tlowerStackGuard(gp, ^uintptr(0))\n\t}\n" +
					"\tif !inheritTime {\n",
			},
		},
	},
}

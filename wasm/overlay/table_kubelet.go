package overlay

import "slices"

// onLinux are upstream's own files for Linux where js has one that does nothing: what a kubelet tells
// its runtime of a container (user, groups, read-only root, limits), whose a volume's files are. An
// in-tab node has what they ask for: a file system with owners (wasm/memfs, core/node/nodefs), and a
// runtime that keeps users apart (core/program).
var onLinux = slices.Concat(
	linuxFile("pkg/kubelet/kuberuntime/helpers",
		"b4bde0d6ee3e485e178ad5a8002fd9eb29242355e4f22a3208170d0c5793ff6e",
		"6b18909107e4f1a91ccd8a62cbf00ef0c38c05a2c588e68bb9c1d119d8d3c4b0", "!linux",
		"a pod's overhead as resources", linuxTag),
	linuxFile("pkg/kubelet/kuberuntime/kuberuntime_container",
		"aa6a54cb2f2940d59eb2f8221b55f80e2e93989f9108e9ef274a0743a8353d35",
		"d4e4b4bcb80899b025f9294fae461092bbb8bcd05956d8b680677c75485d8d35", "!linux && !windows",
		"a container's security context and its limits: each ran as its image's user, with a root that it could write", linuxTag, cgroupsImport),
	linuxFile("pkg/kubelet/kuberuntime/kuberuntime_sandbox",
		"946c86c717aa7469e4abda84c977a32476bee95244a642a859acb1d43c46d9f1",
		"2160d049004a3f75a167cbbbf4837fc6b336652390d2d9b5ff6831922cd1ec29", "!linux && !windows",
		"a sandbox's resources", linuxTag),
	linuxFile("pkg/kubelet/cm/helpers",
		"5378aee819a9c115038d367418eb5122291400ef17d709678684ac5312f2d729",
		"dc01aebae79f7a5e0a8d10f3687a7f597efb315306bc92661b022da0802236a9", "!linux",
		"the shares and quotas that limits are written in: all were 0", append([]Edit{cgroupsImport}, noHierarchy...)...),
	linuxFile("pkg/volume/volume",
		"d1cf226c04ad6ef848c8345e1832cc13663a0696dcd7a7918242786b60c9ba38",
		"12096da1f3b239eefefedd2a184be5cbbb5c087abd9692cedc3466fb4db43677", "!linux",
		"fsGroup: a volume's files belonged to root alone", linuxTag),
	linuxFile("pkg/volume/util/atomic_writer",
		"a3d41443c4748b2942e245629188f9acb8aeb292a36ebcaf08cb9fcfa1ce42c6",
		"89c03a2723c1fa9f695bf5be8f1808ce286697c041c3c6e24f291042ff29861c", "!linux",
		"the owner of a projected token's file", linuxTag),
	linuxFile("pkg/kubelet/allocation/features",
		"d4a4cf24c47a2e26bc366c69e64df1b02f7b87c894b61a15823c7f130709fbae",
		"2bf5c9f4616e6b9134b3823aad3f5479f675ae5c759e83764e56583ed0c68509", "!linux && !windows",
		"resources that change in place: the kubelet said that its node cannot", linuxTag),
	[]Entry{
		{
			Path:    statsProvider + "_others.go",
			SHA256:  []string{"c78d93de7d900b754d070d659e98788bb2dec31420d145a74846ab1e54983efb"},
			Missing: podStats,
			Instead: "left out on js",
			Edits:   []Edit{{"//go:build !linux && !windows\n", "//go:build !linux && !windows && !js\n"}},
		},
		{
			Path:    statsProvider + "_js.go",
			From:    statsProvider + "_linux.go",
			SHA256:  []string{"162be81804b409aa07f7f04d297002de0c35e7ac080b4a988dc5cbdc156e9ebc"},
			Missing: podStats,
			Instead: "upstream's own for Linux",
			Edits:   []Edit{linuxTag},
		},
		{
			Path:    shutdownManager + "_others.go",
			SHA256:  []string{"bf854bdaff053abd85edb87c5ed229d14f2e8b45c70fca6d16c4501dc220527e"},
			Missing: gracefulShutdown,
			Instead: "left out on js",
			Edits:   []Edit{{"//go:build !linux && !windows\n", "//go:build !linux && !windows && !js\n"}},
		},
		{
			Path:    shutdownManager + "_js.go",
			From:    shutdownManager + "_linux.go",
			SHA256:  []string{"9eaf9f4c0bf94ec3a08c4f8364171fa4c7e7946c7fe5d53cd785d10ba1b2332f"},
			Missing: gracefulShutdown,
			Instead: "upstream's own for Linux; core/node/kubelet hands it the node's logind",
			Edits:   []Edit{linuxTag, {"return systemd.NewDBusCon()", "return nil, fmt.Errorf(\"there is no D-Bus\")"}},
		},
		{
			Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/nodeshutdown/systemd/inhibit_js.go",
			From:    "vendor/k8s.io/kubernetes/pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go",
			SHA256:  []string{"38b40145f1382c2f27c8064498036346012ea82c77623ae1de569ab48324bca4"},
			Added:   true,
			Missing: "InhibitLock",
			Instead: "the type; there is no D-Bus",
		},
		{
			Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/sysctl/safe_sysctls.go",
			SHA256:  []string{"984a89e7118c2c97fee643014c1ae66a8c28d0bcc202cd32627aecc42c2dc577"},
			Missing: "safe sysctls: a pod with any was refused. core/node/cri has each, of any kernel",
			Instead: "those of a new kernel",
			Edits: []Edit{
				{"if goruntime.GOOS != \"linux\" {", "if goruntime.GOOS != \"js\" {"},
				{
					"return getSafeSysctlAllowlist(ctx, utilkernel.GetVersion)",
					"return getSafeSysctlAllowlist(ctx, func() (*version.Version, error) { return version.MustParseGeneric(\"6.1\"), nil })",
				},
			},
		},
	},
)

const (
	statsProvider = "vendor/k8s.io/kubernetes/pkg/kubelet/stats/cri_stats_provider"
	podStats      = "what a pod as a whole uses"

	shutdownManager  = "vendor/k8s.io/kubernetes/pkg/kubelet/nodeshutdown/nodeshutdown_manager"
	gracefulShutdown = "a node that is shut down ends its pods"
)

// cgroupsImport is what control groups of the kernel are asked of.
var cgroupsImport = Edit{
	`libcontainercgroups "github.com/opencontainers/cgroups"`,
	`libcontainercgroups "github.com/tabernetes/tabernetes/wasm/platform/cgroups"`,
}

// noHierarchy replaces what looks for files of a kernel's control groups.
var noHierarchy = []Edit{
	{"\t\"k8s.io/kubernetes/pkg/kubelet/cm/util\"\n)\n", ")\n" + memoryFiles},
	{"\t\tMounts:      allCgroups,\n", ""},
	{"\t\tMounts:      mounts,\n", ""},
	{"\t\tmountPoints[controller] = util.CgroupRoot\n", "\t\tmountPoints[controller] = \"/\"\n"},
	{"\t\t\tMountpoint: util.CgroupRoot,\n\t\t\tRoot:       util.CgroupRoot,\n", ""},
	{"return podCgroupNamePrefix + string(podUID)", "return \"pod\" + string(podUID)"},
	{"defaultNodeAllocatableCgroupName)", "\"kubepods\")"},
	{"getContainer(logger, os.Getpid())", "\"/\", error(nil)"},
}

// memoryFiles are constants of upstream's cgroup_manager_linux.go.
const memoryFiles = `
const (
	Cgroup2MemoryMin       = "memory.min"
	Cgroup2MemoryLow       = "memory.low"
	Cgroup2MemoryHigh      = "memory.high"
	Cgroup2MaxSwapFilename = "memory.swap.max"
)
`

// linuxTag is the build constraint of most of them; the others have their name's only.
var linuxTag = Edit{"//go:build linux\n", "//go:build js\n"}

// linuxFile takes <name>_linux.go in place of <name>_unsupported.go of k8s.io/kubernetes; tag is the
// latter's build constraint.
func linuxFile(name, linux, unsupported, tag, missing string, edits ...Edit) []Entry {
	path := "vendor/k8s.io/kubernetes/" + name
	return []Entry{
		{
			Path:    path + "_unsupported.go",
			SHA256:  []string{unsupported},
			Missing: missing,
			Instead: "left out on js",
			Edits:   []Edit{{"//go:build " + tag + "\n", "//go:build " + tag + " && !js\n"}},
		},
		{
			Path:    path + "_js.go",
			From:    path + "_linux.go",
			SHA256:  []string{linux},
			Missing: missing,
			Instead: "upstream's own for Linux",
			Edits:   edits,
		},
	}
}

package overlay

// vendored is the dependencies' part of the table.
var vendored = []Entry{
	{
		Path:    "vendor/golang.org/x/sys/unix/unix_js.go",
		From:    "vendor/golang.org/x/sys/unix/constants.go",
		SHA256:  []string{"f3405abc7484992964143eac589b951132d8e3a90f8359fc1a6e9ddcc201aa8a"},
		Added:   true,
		Missing: "the whole package on js, which upstream uses wherever it is not on Windows: Termios and Winsize (moby/term), SO_REUSEPORT (apiserver's serving options), Umask and SIGWINCH (kubectl), Uname (mount-utils)",
		Instead: "the names; nothing is a terminal",
	},
	{
		Path:    "vendor/github.com/containernetworking/cni/pkg/invoke/os_unix.go",
		SHA256:  []string{"0c6ccb62e1111ec0450372dafd8ebb2f50f796913f18992dfb045041f4586d6c"},
		Missing: "ExecutableFileExtensions (core/node/cni)",
		Instead: "upstream's own for Unix: none",
		Edits:   []Edit{{"//go:build darwin || dragonfly", "//go:build js || darwin || dragonfly"}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/securitycontext/util_js.go",
		From:    "vendor/k8s.io/kubernetes/pkg/securitycontext/util_darwin.go",
		SHA256:  []string{"e717b93c78302c92b85fa7aec9510817cf5b33d0a05a5faccead363ed5cfd709"},
		Missing: "possibleCPUs",
		Instead: "upstream's own for darwin: none",
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/util/filesystem/util_unix.go",
		SHA256:  []string{"1d5ff592f213413e705999aeec413e8c75ec96f8265ce5ee6797a71fa81d9212"},
		Missing: "MkdirAll, Chmod, IsAbs, IsUnixDomainSocket",
		Instead: "upstream's own for Unix",
		Edits:   []Edit{{"//go:build freebsd || linux || darwin\n", "//go:build freebsd || linux || darwin || js\n"}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/util/util_unix.go",
		SHA256:  []string{"2005cc3f569fcb226c55355e8d323c5b1472bda71bfed0d7a359384c5fddb948"},
		Missing: "NormalizePath, and LocalEndpoint that works",
		Instead: "upstream's own for Unix",
		Edits:   []Edit{{"//go:build freebsd || linux || darwin\n", "//go:build freebsd || linux || darwin || js\n"}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/util/util_unsupported.go",
		SHA256:  []string{"201fdc409e67c04bd21dcf5ff0dc5b949637df742c19322900c730272212519a"},
		Missing: "nothing: it would define LocalEndpoint a second time",
		Instead: "left out on js",
		Edits:   []Edit{{"//go:build !freebsd && !linux && !windows && !darwin\n", "//go:build !freebsd && !linux && !windows && !darwin && !js\n"}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/util/util_js.go",
		From:    "vendor/k8s.io/kubernetes/pkg/kubelet/util/util_unsupported.go",
		SHA256:  []string{"201fdc409e67c04bd21dcf5ff0dc5b949637df742c19322900c730272212519a"},
		Added:   true,
		Missing: "GetBootTime",
		Instead: "the time at which the program began",
	},
	{
		Path:    "vendor/k8s.io/kubernetes/cmd/kubeadm/app/util/chroot_unix.go",
		SHA256:  []string{"20507ec5968d47134a96da25107a1a392856e8e518d055fd8f61f69164367a24"},
		Missing: "syscall.Chroot (core/pki uses kubeadm's packages)",
		Instead: "left out on js",
		Edits:   []Edit{{"//go:build !windows\n", "//go:build !windows && !js\n"}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/cmd/kubeadm/app/util/chroot_js.go",
		From:    "vendor/k8s.io/kubernetes/cmd/kubeadm/app/util/chroot_windows.go",
		SHA256:  []string{"10a329fe3da0a3dae987c3606f82b7a0ed68dabbc009f3f40665a6625d5c22e2"},
		Missing: "Chroot",
		Instead: "upstream's own for Windows: an error",
		Edits:   []Edit{{"//go:build windows\n", "//go:build js\n"}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/probe/dialer_others.go",
		SHA256:  []string{"2e7e1475762662848fc5169f2b652175a1ec2f6347f24de2236fa47c06812dd1"},
		Missing: "Dialer.Control, which sets SO_LINGER: the in-memory network refuses such a dialer, so that no probe by HTTP or TCP succeeds",
		Instead: "a dialer without it",
		Edits:   []Edit{{"\tdialer := &net.Dialer{\n", "\tdialer := &net.Dialer{}\n\t_ = &net.Dialer{\n"}},
	},
	{
		Path:    "vendor/github.com/fsnotify/fsnotify/backend_other.go",
		SHA256:  []string{"98a6f1b6e8a961948d2d163cf6d859e75e3a7fbd4ea86e929e6746b9d8e5f81a"},
		Missing: "watching of files: `kubectl logs -f` fails, and certificates are looked at once a minute",
		Instead: "left out on js",
		Edits:   []Edit{{"!solaris && !windows)\n", "!solaris && !windows && !js)\n"}},
	},
	{
		Path:    "vendor/github.com/fsnotify/fsnotify/backend_js.go",
		From:    "vendor/github.com/fsnotify/fsnotify/backend_other.go",
		SHA256:  []string{"98a6f1b6e8a961948d2d163cf6d859e75e3a7fbd4ea86e929e6746b9d8e5f81a"},
		Added:   true,
		Missing: "a backend",
		Instead: "polling: the files are in memory",
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/volume/util/fs/fs_unsupported.go",
		SHA256:  []string{"e031ab3c054277572233aad542ccb0cd8d5371330f180340491fd64b73604b11"},
		Missing: "the size of files: each log and volume that a kubelet is asked about is an error, and a line in the console",
		Instead: "left out on js",
		Edits:   []Edit{{"//go:build !linux && !darwin && !windows\n", "//go:build !linux && !darwin && !windows && !js\n"}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/volume/util/fs/fs_js.go",
		From:    "vendor/k8s.io/kubernetes/pkg/volume/util/fs/fs_unsupported.go",
		SHA256:  []string{"e031ab3c054277572233aad542ccb0cd8d5371330f180340491fd64b73604b11"},
		Added:   true,
		Missing: "Info, DiskUsage",
		Instead: "the files are in memory: counted by walking, beside what linear memory can still grow by",
	},
	{
		Path:    "vendor/k8s.io/kubectl/pkg/cmd/util/editor/launcher_others.go",
		SHA256:  []string{"338ee850459f889470d6381ef122d763454b83b14319824cb14c2b624292e600"},
		Missing: "processes: `kubectl edit` cannot launch an editor",
		Instead: "a hook that wasm/main sets to core/kubectl/command.LaunchEditor, which opens the page's editor",
		Edits: []Edit{
			{"// Launch opens the described or", "// Launched stands in place of Launch where it is set.\nvar Launched func(argv []string, path string) error\n\n// Launch opens the described or"},
			first("func (e Editor) Launch(path string) error {", "if Launched != nil {\n\treturn Launched(e.Args, path)\n}"),
		},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/kubelet_node_status.go",
		SHA256:  []string{"2a4f4d64d966e1defb35534407c6634c970ab7f6094d1a83a83c36b791a00607"},
		Missing: "nothing: a node labelled kubernetes.io/os=js would be passed over by manifests that ask for linux",
		Instead: platform,
		Edits:   []Edit{{"\tgoruntime \"runtime\"\n", "\tgoruntime " + platformPackage}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/nodestatus/setters.go",
		SHA256:  []string{"8b80a1878f20ee511281fc9dfa5e3a05fe26742f127b4b7b5f152ad3d432d1f3"},
		Missing: "nothing: see kubelet_node_status.go",
		Instead: platform,
		Edits:   []Edit{{"\tgoruntime \"runtime\"\n", "\tgoruntime " + platformPackage}},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/lifecycle/predicate.go",
		SHA256:  []string{"ada2da257cbcee8e9ec9364e45b5a44e49f92b5727da0e742f020531a6129064"},
		Missing: "nothing: a pod with spec.os.name linux would be refused",
		Instead: platform,
		Edits:   []Edit{{"\t\"runtime\"\n", "\truntime " + platformPackage}},
	},
	{
		Path:    "vendor/k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go",
		SHA256:  []string{"89b4e906e00172f82a1012a1568c3f07c33a000324a2c2e324f6e6ce8d25fc96"},
		Missing: "the few milliseconds within which an informer hears of a write: the first look at a definition's objects fails (\"storage is (re)initializing\"), the second is 5 ms later and, where the informer has not heard of the first one's status by then, ends with a conflict, after which nothing asks again for 5 minutes. On a real cluster that is rare; in one thread it is not, soon after the start",
		Instead: "a conflict is tried again, as every other failure is",
		Edits: []Edit{{
			"\tcrd, err = c.crdClient.CustomResourceDefinitions().UpdateStatus(ctx, crd, metav1.UpdateOptions{})\n\tif apierrors.IsNotFound(err) || apierrors.IsConflict(err) {\n",
			"\tcrd, err = c.crdClient.CustomResourceDefinitions().UpdateStatus(ctx, crd, metav1.UpdateOptions{})\n\tif apierrors.IsNotFound(err) {\n",
		}},
	},
}

// What stands in for package runtime where a kubelet tells of its node.
const (
	platform        = "linux/amd64: images of that platform run, as programs that behave as on Linux (wasm/platform, ADR 23)"
	platformPackage = "\"github.com/tabernetes/tabernetes/wasm/platform\"\n"
)

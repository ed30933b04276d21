package deptest

// module is the import path of this repository.
const module = "github.com/tabernetes/tabernetes"

// rule bans imports. Paths are relative to the repository; "core/..." is core and everything
// below it.
type rule struct {
	// in are the packages that it binds, except are those that it does not.
	in, except []string
	// ban are import paths: of the repository when they begin with "./", with "/..." for
	// everything below as well.
	ban []string
	// tests says that test files are bound too.
	tests  bool
	reason string
}

var everything = []string{"..."}

// footing are the rooms that need the standard library only: no rule keeps others off them.
var footing = []string{"core/accept", "core/goroutine", "core/group", "core/wholefile", "nodehost/trusted"}

var rules = []rule{
	{
		in: []string{"core/..."}, tests: true,
		ban:    []string{"./wasm/...", "./nodehost/...", "./web/..."},
		reason: "core knows neither browser nor Linux; what runs it gives it what it needs",
	},
	{
		in:     []string{"core/...", "wasm/...", "nodehost/..."},
		ban:    []string{"./scripts/..."},
		reason: "scripts build, test and measure what is built; their tests may start what scripts has",
	},
	{
		// The edge is a program of its own, with nothing of the tab in it: its main binds Cloudflare's counter.
		in: everything, except: []string{"wasm/jsx", "wasm/edge"}, tests: true,
		ban:    []string{"syscall/js", "github.com/hack-pad/safejs"},
		reason: "what Go holds of JavaScript at rest must be few and nameable, so that a tab can be frozen: wasm/jsx is the one place",
	},
	{
		in: []string{"nodehost/..."}, tests: true,
		ban:    []string{"./wasm/..."},
		reason: "the native binary and the tab meet in core, and nowhere else",
	},
	{
		in: []string{"wasm/..."}, tests: true,
		ban:    []string{"./nodehost/..."},
		reason: "the native binary and the tab meet in core, and nowhere else",
	},
	{
		in: everything, except: []string{"core/store/mvcc"}, tests: true,
		ban:    []string{"github.com/tidwall/buntdb"},
		reason: "the engine under the store is replaceable only while one package knows it: use core/store",
	},
	{
		in: everything, except: []string{"core/store/etcdshim", "scripts/etcdtest", "scripts/storebench"},
		ban:    []string{"go.etcd.io/etcd/client/v3/..."},
		reason: "there is no etcd; only the shim speaks its client's interfaces: use core/store",
	},
	{
		in: everything, except: []string{"scripts/etcdtest", "core/store/etcdfile"},
		ban:    []string{"go.etcd.io/etcd/server/v3/...", "go.etcd.io/etcd/etcdutl/v3/...", "go.etcd.io/bbolt/..."},
		reason: "a real etcd is for comparing with, in tests: nothing that is built may bring its server",
	},
	{
		in: everything, except: []string{"scripts/storebench"},
		ban:    []string{"./scripts/etcdtest"},
		reason: "it brings etcd's whole server: for tests and measurements only",
	},
	{
		in: []string{"wasm/..."}, tests: true,
		ban:    []string{"./core/store/etcdfile"},
		reason: "bbolt maps files into memory, which js cannot",
	},
	{
		in: []string{"core/store/mvcc", "core/store/persist"}, tests: true,
		ban:    []string{"k8s.io/...", "go.etcd.io/..."},
		reason: "the engine and what keeps it know keys and bytes; core/store/etcdshim knows etcd, core/store Kubernetes",
	},
	{
		in: []string{"core/..."}, except: []string{"core/cluster"},
		ban:    []string{"./core/cluster"},
		reason: "the composition root is imported by programs only, or everything would depend on everything",
	},
	{
		in:     []string{"core/tunnel", "core/nodedial"},
		ban:    []string{"k8s.io/...", "./core/...", "github.com/coder/websocket"},
		reason: "the tunnel knows neither what it runs on nor what runs in it: a wire is any net.Conn",
	},
	{
		in:     []string{"core/attach"},
		ban:    []string{"k8s.io/kubernetes/...", "./core/realnode/...", "./core/egress", "github.com/coder/websocket"},
		reason: "what is attached is what attach.Cluster says, and a wire is any net.Conn: a tab and a native control plane share it",
	},
	{
		in:     []string{"nodehost/hub"},
		ban:    []string{"k8s.io/...", "./core/access", "./core/cluster", "./core/pki"},
		reason: "the hub moves bytes that it cannot read, and has nothing to read them with",
	},
	{
		in:     []string{"nodehost/hubtls"},
		ban:    []string{"k8s.io/...", "./core/...", "./nodehost/..."},
		reason: "whoever dials a hub needs it, and nothing of what is behind the hub",
	},
	{
		in: []string{"core/trace"}, tests: true,
		ban:    []string{"k8s.io/...", "./core/apiserver/...", "./core/store/...", "./core/node/...", "./core/cluster", "./nodehost/..."},
		reason: "whoever is tapped tells the bus: it knows none of them",
	},
	{
		in: footing, tests: true,
		ban:    []string{"k8s.io/...", "./core/...", "./nodehost/..."},
		reason: "everything may stand on them: they need the standard library only",
	},
	{
		in:     []string{"nodehost/gateway"},
		ban:    []string{"k8s.io/...", "./core/...", "./nodehost/..."},
		reason: "it moves bytes to a fixed list of addresses, and knows nothing of what they are",
	},
	{
		in:     []string{"nodehost/site"},
		ban:    []string{"k8s.io/...", "./core/...", "./nodehost/..."},
		reason: "the site is static, and scripts/serve serves it without anything else",
	},
	{
		in: everything, except: []string{"nodehost/hub", "nodehost/controlplane", "nodehost/uplink"},
		ban:    []string{"github.com/coder/websocket"},
		reason: "native WebSockets end at the hub; the tab's are wasm/wsdial's",
	},
	{
		in: everything, except: []string{"nodehost/dns", "nodehost/network"}, tests: true,
		ban:    []string{"github.com/coredns/...", "github.com/miekg/dns"},
		reason: "CoreDNS' set-up works on the whole process; nodehost/dns takes its plugins without",
	},
	{
		in: everything, except: []string{"nodehost/cni/...", "nodehost/network", "core/node/cni"}, tests: true,
		ban:    []string{"github.com/containernetworking/..."},
		reason: "nodehost/cni is what knows of CNI on machines, core/node/cni in the tab",
	},
	{
		in: []string{"core/node/cni"}, tests: true,
		ban:    []string{"k8s.io/...", "./core/node/cri", "./core/cluster"},
		reason: "a runtime calls it as it would call any plugins: it knows pods by CNI_ARGS",
	},
	{
		in:     []string{"nodehost/cni/..."},
		ban:    []string{"k8s.io/...", "./core/..."},
		reason: "the plugin starts several times for each pod, and has to start at once",
	},
	{
		in: everything, except: []string{"nodehost/intab", "nodehost/network"},
		ban:    []string{"gvisor.dev/..."},
		reason: "a second TCP is for what a kernel cannot do: to answer when the cluster has",
	},
	{
		in: []string{"nodehost/cni/...", "nodehost/overlay/...", "nodehost/intab", "nodehost/proxy", "nodehost/dns", "nodehost/localaddr", "nodehost/network"},
		ban: []string{
			"./nodehost/join", "./nodehost/leave", "./nodehost/nodedir", "./nodehost/uplink", "./nodehost/hub", "./core/cluster",
		},
		reason: "a node's network does not know how its machine joined",
	},
	{
		in: []string{"nodehost/overlay/ways"}, tests: true,
		ban:    []string{"k8s.io/client-go/...", "k8s.io/kubernetes/...", "github.com/vishvananda/netlink", "./nodehost/..."},
		reason: "what nodes write of themselves is fuzzed, which is cheap while it links little",
	},
	{
		in: []string{"nodehost/..."}, except: []string{"nodehost/testnet/...", "nodehost/nodetest"},
		ban:    []string{"./nodehost/testnet/...", "./nodehost/nodetest"},
		reason: "it is for tests",
	},
	{
		in: everything, except: []string{"nodehost"},
		ban:    []string{"./nodehost/join"},
		reason: "it is the composition root of a node and imports nearly everything",
	},
	{
		in:     []string{"nodehost/uplink", "nodehost/nodedir", "nodehost/preflight", "nodehost/cgroup"},
		ban:    []string{"k8s.io/kubernetes/...", "./nodehost/kubelet", "./core/cluster"},
		reason: "what a node stands on must not need what runs on it",
	},
	{
		in: everything, except: []string{"scripts/images"}, tests: true,
		ban:    []string{"github.com/google/go-containerregistry/..."},
		reason: "images are built and served for tests only; a node's come through its runtime",
	},
	{
		in: everything, except: []string{"core/tunnel"}, tests: true,
		ban:    []string{"github.com/hashicorp/yamux"},
		reason: "frames and windows are the tunnel's own matter: use core/tunnel",
	},
	{
		in:     []string{"core/program/...", "core/shell/..."},
		ban:    []string{"k8s.io/...", "./core/cluster", "./core/node/...", "./core/kubectl/..."},
		reason: "what runs in a container or a terminal knows nothing of Kubernetes: a node runs it, not the other way round",
	},
	{
		in: everything, except: []string{"core/cluster"},
		ban:    []string{"./core/node/agnhost"},
		reason: "a cluster runs without what Kubernetes tests itself with; the composition root adds it",
	},
	{
		in: everything, except: []string{"core/cluster"},
		ban:    []string{"./core/node/controlplane"},
		reason: "a cluster runs without further control planes in its pods; the composition root adds their images",
	},
	{
		in:     []string{"core/node/image/..."},
		ban:    []string{"k8s.io/..."},
		reason: "what images hold knows nothing of Kubernetes; core/node/agnhost has upstream's test programs",
	},
	{
		in:     []string{"core/node/clusterdns"},
		ban:    []string{"./core/...", "k8s.io/kubernetes/..."},
		reason: "names are the API's objects and nothing else: what resolves them is replaceable",
	},
	{
		in:     []string{"core/initializers", "core/retired"},
		ban:    []string{"./core/apiserver/...", "./core/cluster", "./core/configuration", "./core/store/..."},
		reason: "a retired feature is put into a server by who assembles it: it knows upstream's seams, and nothing of ours",
	},
	{
		in:     []string{"core/kubectl/..."},
		ban:    []string{"k8s.io/kubernetes/..."},
		reason: "kubectl is a client: what it needs of the cluster comes over the API",
	},
	{
		in:     []string{"core/...", "wasm/...", "nodehost/..."},
		ban:    []string{"k8s.io/kubernetes/pkg/kubemark/..."},
		reason: "kubemark's fakes drop events, probes and files: core/node has the assembly with implementations that work",
	},
	{
		in:     []string{"wasm/methods"},
		ban:    []string{"./wasm/jsx", "./wasm/goroot", "./wasm/memfs"},
		reason: "the page's methods are tested natively",
	},
	{
		in: []string{"wasm/overlay/...", "wasm/build", "wasm/jstest", "scripts/..."}, except: []string{"scripts/storebench"},
		ban:    []string{"./core/...", "./wasm/jsx", "./wasm/port", "k8s.io/..."},
		reason: "the tools of the build must run before anything else compiles",
	},
	{
		in: everything, except: []string{"wasm/edge"}, tests: true,
		ban:    []string{"github.com/syumai/workers/..."},
		reason: "only the Worker's main binds Cloudflare: what it serves is plain net/http, tested natively",
	},
	{
		in: []string{"wasm/edge/..."}, tests: true,
		ban:    []string{"k8s.io/...", "./core/...", "./wasm/jsx", "./wasm/port", "./nodehost/..."},
		reason: "the edge is built without the tab's overlay, and a Worker may have 3 MB: it knows nothing of clusters",
	},
	{
		in: []string{"wasm/edge/shares"}, tests: true,
		ban:    []string{"github.com/..."},
		reason: "it needs the standard library only",
	},
	{
		in:     []string{"wasm/memfs", "wasm/goroot"},
		ban:    []string{"k8s.io/...", "./core/...", "./wasm/jsx"},
		reason: "they lie under package os: what they import cannot open a file before they exist",
	},
}

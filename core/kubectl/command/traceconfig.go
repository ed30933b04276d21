package command

import (
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Configured are the details of kubectl.config: what the kubeconfigs and the flags have come to.
type Configured struct {
	// Files are the kubeconfigs in the order in which they count, as the command knows them; one that is not
	// there counts as empty.
	Files []string `json:"files"`
	// Context, Cluster and User are names in them; empty if nothing is chosen.
	Context string `json:"context,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	User    string `json:"user,omitempty"`
	Server  string `json:"server"`
	// CA says by whom the server's certificate has to be signed.
	CA string `json:"ca"`
	// Credentials says of what kind they are, never what.
	Credentials string `json:"credentials"`
	Agent       string `json:"agent"`
}

// Weight implements trace.Weigher.
func (d *Configured) Weight() int {
	n := 192 + len(d.Context) + len(d.Cluster) + len(d.User) + len(d.Server)
	for _, f := range d.Files {
		n += 16 + len(f)
	}
	return n
}

// maxKubeconfigs bounds how many files a step names.
const maxKubeconfigs = 16

// choices are where a command's configuration comes from.
type choices struct {
	flags *genericclioptions.ConfigFlags
	// files are the kubeconfigs by the environment, merged what they are together; typed gives a file as it
	// was named.
	files  []string
	merged string
	typed  map[string]string
}

// configuredBy is what became of them: c is upstream's answer.
func (o *choices) configuredBy(c *rest.Config) *Configured {
	d := &Configured{
		Files: []string{}, Server: trace.Text(trace.Address(c.Host)), CA: signedBy(c), Credentials: credentials(c), Agent: c.UserAgent,
	}
	files := o.files
	if given := *o.flags.KubeConfig; given != o.merged { // --kubeconfig
		files = []string{given}
	}
	for _, f := range files[:min(len(files), maxKubeconfigs)] {
		if name, ok := o.typed[f]; ok {
			f = name
		}
		d.Files = append(d.Files, trace.Text(f))
	}
	raw, err := o.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return d
	}
	// A flag comes before the file, as upstream has it (clientcmd.DirectClientConfig).
	d.Context = trace.Text(either(o.flags.Context, raw.CurrentContext))
	context := raw.Contexts[d.Context]
	if context == nil {
		d.Context = ""
	}
	cluster, user := "", ""
	if context != nil {
		cluster, user = context.Cluster, context.AuthInfo
	}
	d.Cluster = trace.Text(either(o.flags.ClusterName, cluster))
	d.User = trace.Text(either(o.flags.AuthInfoName, user))
	return d
}

// cached is whether upstream's discovery has read files that an earlier command wrote.
func (o *choices) cached() bool {
	// The flags keep one client for the whole command.
	d, err := o.flags.ToDiscoveryClient()
	return err == nil && !d.Fresh()
}

func either(flag *string, file string) string {
	if flag != nil && *flag != "" {
		return *flag
	}
	return file
}

func signedBy(c *rest.Config) string {
	switch {
	case !rest.IsConfigTransportTLS(*c):
		return "nobody: the way is not encrypted"
	case c.Insecure:
		return "anybody: it is not checked"
	case len(c.CAData) > 0 || c.CAFile != "":
		return "the CA that is given"
	}
	return "a CA of the system"
}

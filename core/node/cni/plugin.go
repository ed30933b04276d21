package cni

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/utils"
	"github.com/containernetworking/cni/pkg/version"

	"github.com/tabernetes/tabernetes/core/program"
)

// plugin is what a program does; nil is nothing. It stands in for containernetworking/cni's pkg/skel, which
// takes the environment, the streams and the namespace of the process that it is in.
type plugin struct {
	add                    func(context.Context, *call) (types.Result, error)
	check, del, status, gc func(context.Context, *call) error
}

// call is what a plugin was called with.
type call struct {
	command, container, netns, ifname, args, path string
	stdin                                         []byte
}

// since is the version of the specification in which a command came.
var since = map[string]string{"ADD": "0.1.0", "DEL": "0.1.0", "CHECK": "0.4.0", "STATUS": "1.1.0", "GC": "1.1.0"}

// main is the program's.
func (pl plugin) main(ctx context.Context, p *program.Process) int {
	if p.Getenv("CNI_COMMAND") == "VERSION" {
		if versions.Encode(p.Stdout) != nil {
			return 1
		}
		return 0
	}
	if err := pl.run(ctx, p); err != nil {
		var e *types.Error
		if !errors.As(err, &e) {
			e = types.NewError(types.ErrInternal, err.Error(), "")
		}
		text, _ := json.MarshalIndent(e, "", "    ")
		_, _ = p.Stdout.Write(text)
		return 1
	}
	return 0
}

func (pl plugin) run(ctx context.Context, p *program.Process) error {
	c, err := read(p)
	if err != nil {
		return err
	}
	v, err := (&version.ConfigDecoder{}).Decode(c.stdin)
	if err != nil {
		return types.NewError(types.ErrDecodingFailure, err.Error(), "")
	}
	if ok, err := version.GreaterThanOrEqualTo(v, since[c.command]); err != nil {
		return types.NewError(types.ErrDecodingFailure, err.Error(), "")
	} else if !ok {
		return types.NewError(types.ErrIncompatibleCNIVersion, "config version does not allow "+c.command, "")
	}
	if bad := (&version.Reconciler{}).Check(v, versions); bad != nil {
		return types.NewError(types.ErrIncompatibleCNIVersion, "incompatible CNI versions", bad.Details())
	}
	if c.command == "ADD" {
		result, err := pl.add(ctx, c)
		if err != nil {
			return err
		}
		if result, err = result.GetAsVersion(v); err != nil {
			return err
		}
		return result.PrintTo(p.Stdout)
	}
	f := map[string]func(context.Context, *call) error{"CHECK": pl.check, "DEL": pl.del, "STATUS": pl.status, "GC": pl.gc}[c.command]
	if f == nil {
		return nil
	}
	return f(ctx, c)
}

// read takes the call from the process, and refuses what pkg/skel refuses.
func read(p *program.Process) (*call, error) {
	c := &call{}
	var missing []string
	for _, v := range []struct {
		name     string
		to       *string
		commands string // which need it
		valid    func(string) *types.Error
	}{
		{"CNI_COMMAND", &c.command, "", nil},
		{"CNI_CONTAINERID", &c.container, "ADD CHECK DEL", utils.ValidateContainerID},
		{"CNI_NETNS", &c.netns, "ADD CHECK", nil},
		{"CNI_IFNAME", &c.ifname, "ADD CHECK DEL", utils.ValidateInterfaceName},
		{"CNI_ARGS", &c.args, "", nil},
		{"CNI_PATH", &c.path, "ADD CHECK DEL GC STATUS", nil},
	} {
		*v.to = p.Getenv(v.name)
		needed := v.name == "CNI_COMMAND" || slices.Contains(strings.Fields(v.commands), c.command)
		if *v.to == "" && needed {
			missing = append(missing, v.name)
		}
		if *v.to != "" && needed && v.valid != nil {
			if err := v.valid(*v.to); err != nil {
				return nil, err
			}
		}
	}
	if len(missing) > 0 {
		return nil, types.NewError(types.ErrInvalidEnvironmentVariables, fmt.Sprintf("required env variables [%s] missing", strings.Join(missing, ",")), "")
	}
	if since[c.command] == "" {
		return nil, types.NewError(types.ErrInvalidEnvironmentVariables, fmt.Sprintf("unknown CNI_COMMAND: %q", c.command), "")
	}
	var err error
	if c.stdin, err = io.ReadAll(p.Stdin); err != nil {
		return nil, types.NewError(types.ErrIOFailure, fmt.Sprintf("error reading from stdin: %v", err), "")
	}
	var conf struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(c.stdin, &conf); err != nil {
		return nil, types.NewError(types.ErrDecodingFailure, fmt.Sprintf("error unmarshall network config: %v", err), "")
	}
	if err := utils.ValidateNetworkName(conf.Name); err != nil {
		return nil, err
	}
	return c, nil
}

// AsEnv implements invoke.CNIArgs: a plugin that is delegated to gets what the delegating one got.
func (c *call) AsEnv() []string {
	return []string{
		"CNI_COMMAND=" + c.command, "CNI_CONTAINERID=" + c.container, "CNI_NETNS=" + c.netns,
		"CNI_IFNAME=" + c.ifname, "CNI_ARGS=" + c.args, "CNI_PATH=" + c.path,
	}
}

// delegate calls another plugin with the same configuration; the result is nil but for ADD.
func (n *Network) delegate(ctx context.Context, c *call, command, name string) (types.Result, error) {
	file, err := n.FindInPath(name, filepath.SplitList(c.path))
	if err != nil {
		return nil, err
	}
	to := *c
	to.command = command
	if command == "ADD" {
		return invoke.ExecPluginWithResult(ctx, file, c.stdin, &to, n)
	}
	return nil, invoke.ExecPluginWithoutResult(ctx, file, c.stdin, &to, n)
}

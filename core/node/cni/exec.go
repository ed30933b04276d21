package cni

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/types/create"
	"github.com/containernetworking/cni/pkg/version"

	"github.com/tabernetes/tabernetes/core/node/cnitrace"
	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// packageName is what the files of the plugins say they are of, as those of images do.
const packageName = "github.com/containernetworking/plugins"

var _ invoke.Exec = (*Network)(nil)

// maxDepth bounds how far plugins delegate: a bridge whose "ipam" is the bridge would go on for ever.
const maxDepth = 3

type depthKey struct{}

// plugins are the programs, by their names.
func (n *Network) plugins() map[string]plugin {
	return map[string]plugin{
		"bridge":     {add: n.bridgeAdd, check: n.bridgeCheck, del: n.bridgeDel, status: n.delegateOnly, gc: n.delegateOnly},
		"host-local": {add: n.localAdd, check: n.localCheck, del: n.localDel, gc: n.localGC},
		"portmap":    {add: n.portmapAdd, check: n.portmapCheck, del: n.portmapDel},
		"loopback":   {add: n.loopbackAdd, check: n.loopbackCheck},
	}
}

// install puts the plugins' files into BinDir, unless the node has that directory already.
func (n *Network) install() error {
	if _, err := n.opts.Root.Stat(BinDir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := n.opts.Root.MkdirAll(BinDir, 0o755); err != nil {
		return err
	}
	for name := range n.plugins() {
		file := path.Join(BinDir, name)
		if err := n.opts.Root.WriteFile(file, image.Marker{Image: packageName, Path: file}.Bytes(), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// FindInPath implements invoke.Exec, in the words of invoke.FindInPath.
func (n *Network) FindInPath(plugin string, paths []string) (string, error) {
	switch {
	case plugin == "":
		return "", errors.New("no plugin name provided")
	case strings.ContainsRune(plugin, '/'):
		return "", fmt.Errorf("invalid plugin name: %s", plugin)
	case len(paths) == 0:
		return "", errors.New("no paths provided")
	}
	for _, dir := range paths {
		file := path.Join(dir, plugin)
		if info, err := n.opts.Root.Stat(file); err == nil && info.Mode().IsRegular() {
			return file, nil
		}
	}
	return "", fmt.Errorf("failed to find plugin %q in path %s", plugin, paths)
}

// Decode implements invoke.Exec.
func (n *Network) Decode(text []byte) (version.PluginInfo, error) {
	return (&version.PluginDecoder{}).Decode(text)
}

// program is the one that a file stands for.
func (n *Network) program(file string) (plugin, error) {
	f, err := n.opts.Root.Open(file)
	if err != nil {
		return plugin{}, err
	}
	defer f.Close()
	head := make([]byte, image.MarkerSize)
	size, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return plugin{}, err
	}
	marker, ok := image.ParseMarker(head[:size])
	p, known := n.plugins()[path.Base(marker.Path)]
	if !ok || !known || marker.Image != packageName {
		return plugin{}, fmt.Errorf("fork/exec %s: exec format error: programs that are not the tab's own run on real nodes", file)
	}
	return p, nil
}

// ExecPlugin implements invoke.Exec: the program runs in this process.
func (n *Network) ExecPlugin(ctx context.Context, file string, stdin []byte, environ []string) ([]byte, error) {
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth > maxDepth {
		return nil, fmt.Errorf("plugins delegate to each other: %s would be the %dth", file, depth+1)
	}
	ctx = context.WithValue(ctx, depthKey{}, depth+1)
	run, err := n.program(file)
	p := &program.Process{Args: []string{file}, Dir: "/", FS: n.opts.Root, Stdin: bytes.NewReader(stdin), Stderr: io.Discard}
	for _, kv := range environ {
		if strings.HasPrefix(kv, "CNI_") { // libcni adds what this process has
			p.Env = append(p.Env, kv)
		}
	}
	ctx, end := n.told(ctx, path.Base(file), p, stdin)
	var stdout bytes.Buffer
	p.Stdout = &stdout
	if err == nil && run.main(ctx, p) != 0 {
		// As invoke.RawExec reads what a plugin says of its failure.
		failed := &types.Error{}
		if json.Unmarshal(stdout.Bytes(), failed) != nil || failed.Msg == "" {
			failed = types.NewError(types.ErrInternal, fmt.Sprintf("%s failed without saying why", file), "")
		}
		err = failed
	}
	if err != nil {
		end(nil, err)
		return nil, err
	}
	end(stdout.Bytes(), nil)
	return stdout.Bytes(), nil
}

// told begins a step, which end tells of. What is not for a pod is no step.
func (n *Network) told(ctx context.Context, name string, p *program.Process, stdin []byte) (context.Context, func(stdout []byte, err error)) {
	command := p.Getenv("CNI_COMMAND")
	if n.opts.Trace == nil || command != "ADD" && command != "DEL" && command != "CHECK" {
		return ctx, func([]byte, error) {}
	}
	id, cause, began := n.opts.Trace.Reserve(), trace.Cause(ctx), time.Now()
	return trace.With(ctx, id), func(stdout []byte, err error) {
		call := &cnitrace.Call{
			Command: command, Plugin: name, Sandbox: p.Getenv("CNI_CONTAINERID"), Interface: p.Getenv("CNI_IFNAME"),
			Netns: p.Getenv("CNI_NETNS"), Args: p.Getenv("CNI_ARGS"), Stdin: stdin, Stdout: stdout,
		}
		var failed *types.Error
		if errors.As(err, &failed) {
			call.Code = failed.Code
		}
		if err != nil {
			call.Error = err.Error()
		}
		call.IPs = cidrsOf(stdout)
		args := podArgs(call.Args)
		n.opts.Trace.Add(trace.Step{
			ID: id, At: began, Took: time.Since(began), Kind: cnitrace.Kind, Component: "container runtime", Node: n.opts.Node, Cause: cause,
			Object: trace.Object{
				Version: "v1", Resource: "pods", Namespace: args["K8S_POD_NAMESPACE"], Name: args["K8S_POD_NAME"], UID: args["K8S_POD_UID"],
			},
			Details: call.Bounded(),
		})
	}
}

func podArgs(text string) map[string]string {
	args := map[string]string{}
	for pair := range strings.SplitSeq(text, ";") {
		key, value, _ := strings.Cut(pair, "=")
		args[key] = trace.Text(value)
	}
	return args
}

// cidrsOf are the addresses of a result, if it is one.
func cidrsOf(stdout []byte) (cidrs []string) {
	v, err := (&version.ConfigDecoder{}).Decode(stdout)
	if err != nil {
		return nil
	}
	result, err := create.Create(v, stdout)
	if err != nil {
		return nil
	}
	r, err := types100.NewResultFromResult(result)
	if err != nil {
		return nil
	}
	for _, ip := range r.IPs {
		cidrs = append(cidrs, ip.Address.String())
	}
	return cidrs
}

package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"
)

// Called tells whether this process was started by a container runtime to be a plugin.
func Called() bool { return os.Getenv("CNI_COMMAND") != "" }

// Main does what CNI_COMMAND and standard input say; it ends the process when that failed.
func Main() {
	skel.PluginMainFuncs(skel.CNIFuncs{
		Add:    tapped("ADD", add),
		Del:    tapped("DEL", noResult(invoke.DelegateDel)),
		Check:  tapped("CHECK", check),
		Status: tapped("STATUS", status),
		GC:     tapped("GC", collect),
	}, Versions, "CNI plugin tabernetes: delegates to the plugin that the configuration names")
}

// call is one command. The result is nil but for ADD.
type call func(ctx context.Context, c *Config) (types.Result, error)

func tapped(command string, f call) func(*skel.CmdArgs) error {
	return func(args *skel.CmdArgs) error {
		begin := time.Now()
		c, err := parse(args.StdinData)
		if err != nil {
			return err
		}
		result, err := f(context.Background(), c)
		err = asCNI(err, c)
		c.tell(newEvent(command, args, c, result, begin, err))
		if err != nil || result == nil {
			return err
		}
		return types.PrintResult(result, c.CNIVersion)
	}
}

// asCNI keeps the delegate's code and says whose it is.
func asCNI(err error, c *Config) error {
	if err == nil {
		return nil
	}
	var e *types.Error
	if errors.As(err, &e) {
		return types.NewError(e.Code, fmt.Sprintf("%s: %s", c.delegate(), e.Msg), e.Details)
	}
	return types.NewError(types.ErrInternal, fmt.Sprintf("%s: %s", c.delegate(), err), "")
}

func add(ctx context.Context, c *Config) (types.Result, error) {
	if c.idle() && c.PrevResult != nil {
		return c.PrevResult, nil
	}
	conf, err := c.forDelegate()
	if err != nil {
		return nil, err
	}
	return invoke.DelegateAdd(ctx, c.delegate(), conf, nil)
}

func noResult(delegate func(context.Context, string, []byte, invoke.Exec) error) call {
	return func(ctx context.Context, c *Config) (types.Result, error) {
		conf, err := c.forDelegate()
		if err != nil {
			return nil, err
		}
		return nil, delegate(ctx, c.delegate(), conf, nil)
	}
}

func check(ctx context.Context, c *Config) (types.Result, error) {
	if c.idle() || c.NoCheck {
		return nil, nil
	}
	return noResult(invoke.DelegateCheck)(ctx, c)
}

// status fails when the delegate, or the one that gives it addresses, is not there.
func status(ctx context.Context, c *Config) (types.Result, error) {
	needed := []string{c.delegate()}
	if ipam, ok := c.Delegate["ipam"].(map[string]any); ok {
		if name, ok := ipam["type"].(string); ok {
			needed = append(needed, name)
		}
	}
	path := os.Getenv("CNI_PATH")
	for _, name := range needed {
		if _, err := invoke.FindInPath(name, filepath.SplitList(path)); err != nil {
			return nil, types.NewError(types.ErrPluginNotAvailable, fmt.Sprintf("the plugin %s is missing", name), fmt.Sprintf("looked for it in %s", path))
		}
	}
	if !c.delegateHas11() {
		return nil, nil
	}
	return noResult(invoke.DelegateStatus)(ctx, c)
}

// delegateHas11 tells whether STATUS and GC are known to the delegate's specification.
func (c *Config) delegateHas11() bool {
	yes, err := version.GreaterThanOrEqualTo(c.delegateVersion(), "1.1.0")
	return err == nil && yes
}

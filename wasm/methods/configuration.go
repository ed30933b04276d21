package methods

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Configurable is a cluster whose control plane is configured while it runs; *cluster.Cluster is.
type Configurable interface {
	Configuration() configuration.Files
	ConfigurationsBefore() int
	CheckConfiguration(ctx context.Context, f configuration.Files) error
	Configure(ctx context.Context, f configuration.Files) (cluster.Configured, error)
	RestoreConfiguration(ctx context.Context) (cluster.Configured, error)
}

var _ Configurable = (*cluster.Cluster)(nil)

// configurationResult is what is in force.
type configurationResult struct {
	// Files are what each says, by its name.
	Files map[string]string `json:"files"`
	// Before is how many configurations there are to go back to.
	Before int `json:"before"`
}

// Configuration serves `configuration`: the files in force.
func Configuration(await func(context.Context) (Configurable, error)) port.Handler {
	return func(ctx context.Context, _ *port.Call) (any, error) {
		c, err := await(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
		result := configurationResult{Files: map[string]string{}, Before: c.ConfigurationsBefore()}
		for name, content := range c.Configuration() {
			result.Files[name] = string(content)
		}
		return result, nil
	}
}

type configureParams struct {
	Files map[string]string `json:"files"`
}

func (p configureParams) files() configuration.Files {
	f := configuration.Files{}
	for name, content := range p.Files {
		if strings.TrimSpace(content) != "" { // as none
			f[name] = []byte(content)
		}
	}
	return f
}

type checkConfigurationResult struct {
	// Problems are what would be refused, in upstream's words; none if nothing.
	Problems []string `json:"problems"`
}

// CheckConfiguration serves `checkConfiguration`: what upstream would refuse of these files. Nothing is touched.
func CheckConfiguration(await func(context.Context) (Configurable, error)) port.Handler {
	return func(ctx context.Context, call *port.Call) (any, error) {
		var p configureParams
		if err := call.Params(&p); err != nil {
			return nil, fmt.Errorf("check the configuration: %w", err)
		}
		c, err := await(ctx)
		if err != nil {
			return nil, fmt.Errorf("check the configuration: %w", err)
		}
		f := p.files()
		result := checkConfigurationResult{Problems: problems(c.CheckConfiguration(ctx, f))}
		if names := f.AtStart(c.Configuration()); len(names) > 0 {
			result.Problems = append(result.Problems, strings.Join(names, ", ")+" takes effect only when a cluster starts")
		}
		return result, nil
	}
}

// problems are the errors that one is made of: joined ones are a line each.
func problems(err error) []string {
	if err == nil {
		return []string{}
	}
	lines := strings.Split(err.Error(), "\n")
	return lines[:min(len(lines), maxProblems)]
}

// maxProblems is how many somebody reads.
const maxProblems = 50

// configuredResult is how a configuration came into force.
type configuredResult struct {
	Changed   []string `json:"changed"`
	Reloaded  []string `json:"reloaded"`
	Restarted []string `json:"restarted"`
	NewNodes  []string `json:"newNodes"`
	AtStart   bool     `json:"atStart"`
	// Took is in milliseconds.
	Took float64 `json:"took"`
}

// Configure serves `configure`: checks the files and puts them into force. Where anything refuses them the old ones
// stay, and the error says what.
func Configure(await func(context.Context) (Configurable, error)) port.Handler {
	return func(ctx context.Context, call *port.Call) (any, error) {
		var p configureParams
		if err := call.Params(&p); err != nil {
			return nil, fmt.Errorf("configure the cluster: %w", err)
		}
		return putting(ctx, await, func(ctx context.Context, c Configurable) (cluster.Configured, error) {
			return c.Configure(ctx, p.files())
		})
	}
}

// RestoreConfiguration serves `restoreConfiguration`: goes back to the configuration before this one. It asks no API.
func RestoreConfiguration(await func(context.Context) (Configurable, error)) port.Handler {
	return func(ctx context.Context, _ *port.Call) (any, error) {
		return putting(ctx, await, func(ctx context.Context, c Configurable) (cluster.Configured, error) {
			return c.RestoreConfiguration(ctx)
		})
	}
}

func putting(ctx context.Context, await func(context.Context) (Configurable, error), put func(context.Context, Configurable) (cluster.Configured, error)) (any, error) {
	c, err := await(ctx)
	if err != nil {
		return nil, fmt.Errorf("configure the cluster: %w", err)
	}
	begin := time.Now()
	did, err := put(ctx, c)
	if err != nil {
		return nil, err
	}
	some := func(names []string) []string { return append([]string{}, names...) }
	return configuredResult{
		Changed: some(did.Changed), Reloaded: some(did.Reloaded), Restarted: some(did.Restarted),
		NewNodes: some(did.NewNodes), AtStart: did.AtStart,
		Took: float64(time.Since(begin).Microseconds()) / 1000,
	}, nil
}

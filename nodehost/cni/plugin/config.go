package plugin

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"
)

// Type is the plugin's name in a configuration, and its file's name.
const Type = "tabernetes"

// Config is the plugin's place in a chain.
type Config struct {
	types.PluginConf
	// Delegate is the configuration of the plugin that does the work; "type" names it.
	Delegate map[string]any `json:"delegate"`
	// DelegateVersion is the newest version of the specification that the delegate knows, if
	// that is older than the chain's.
	DelegateVersion string `json:"delegateVersion,omitempty"`
	// NoCheck says that the delegate's CHECK is not to be trusted, and not called.
	NoCheck bool `json:"noCheck,omitempty"`
	// Events is the path of a unix datagram socket that is told of each call; "" tells nobody.
	Events string `json:"events,omitempty"`
	// RuntimeConfig is what the runtime gives for this pod, by capability.
	RuntimeConfig map[string]any `json:"runtimeConfig,omitempty"`
	Args          map[string]any `json:"args,omitempty"`
	// Valid is what a GC is to keep.
	Valid []types.GCAttachment `json:"cni.dev/valid-attachments,omitempty"`
}

// Versions of the specification that the plugin knows.
var Versions = version.PluginSupports("0.4.0", "1.0.0", "1.1.0")

func parse(stdin []byte) (*Config, error) {
	c := &Config{}
	if err := json.Unmarshal(stdin, c); err != nil {
		return nil, types.NewError(types.ErrDecodingFailure, "the network configuration is not valid JSON", err.Error())
	}
	if name, _ := c.Delegate["type"].(string); name == "" {
		return nil, types.NewError(types.ErrInvalidNetworkConfig, "the network configuration has no delegate.type", "it names the plugin that does the work, such as bridge")
	}
	if err := version.ParsePrevResult(&c.PluginConf); err != nil {
		return nil, types.NewError(types.ErrDecodingFailure, "prevResult cannot be read", err.Error())
	}
	return c, nil
}

// idle tells that the delegate is there for a capability of which this pod wants nothing. It is
// not called then: that saves most pods two programs, and bandwidth 1.1.1 panics in CHECK.
func (c *Config) idle() bool {
	for name, on := range c.Capabilities {
		if asked, ok := c.RuntimeConfig[name]; on && ok && asked != nil {
			if list, isList := asked.([]any); !isList || len(list) > 0 {
				return false
			}
		}
	}
	return len(c.Capabilities) > 0
}

func (c *Config) delegate() string { return c.Delegate["type"].(string) }

// delegateVersion is the version that the delegate is called in.
func (c *Config) delegateVersion() string {
	if c.DelegateVersion == "" {
		return c.CNIVersion
	}
	if newer, err := version.GreaterThanOrEqualTo(c.DelegateVersion, c.CNIVersion); err == nil && newer {
		return c.CNIVersion
	}
	return c.DelegateVersion
}

// forDelegate is the configuration that the delegate is called with.
func (c *Config) forDelegate() ([]byte, error) {
	v := c.delegateVersion()
	conf := maps.Clone(c.Delegate)
	conf["name"], conf["cniVersion"] = c.Name, v
	if c.RuntimeConfig != nil {
		conf["runtimeConfig"] = c.RuntimeConfig
	}
	if c.Args != nil {
		conf["args"] = c.Args
	}
	if c.PrevResult != nil {
		prev, err := c.PrevResult.GetAsVersion(v)
		if err != nil {
			return nil, types.NewError(types.ErrIncompatibleCNIVersion, fmt.Sprintf("prevResult cannot be given to %s in version %s", c.delegate(), v), err.Error())
		}
		conf["prevResult"] = prev
	}
	if c.Valid != nil {
		conf["cni.dev/valid-attachments"] = c.Valid
	}
	return json.Marshal(conf)
}

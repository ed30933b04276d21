package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// sysctls that pods' traffic needs. Those of bridges let packets between two pods of this node
// pass the rules of kube-proxy: without, an answer of a Service's endpoint on the same bridge
// would not find its way back through the translation.
var sysctls = map[string]bool{ // needed?
	"net/ipv4/ip_forward":                true,
	"net/bridge/bridge-nf-call-iptables": false,
}

const sysctlRoot = "/proc/sys"

// prepare makes this machine forward packets.
func (o *Overlay) prepare(ctx context.Context) error {
	if err := o.options.setSysctls(); err != nil {
		return err
	}
	return o.options.ensureRules(ctx, o.self.PodCIDR)
}

// setSysctls sets what is not set, after writing down what it was before.
func (o *Options) setSysctls() error {
	before, err := o.sysctlsBefore()
	if err != nil {
		return err
	}
	for name, needed := range sysctls {
		path := filepath.Join(sysctlRoot, name)
		now, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && !needed {
			continue
		} else if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		value := strings.TrimSpace(string(now))
		if value == "1" {
			continue
		}
		if _, known := before[name]; !known {
			before[name] = value
			if err := o.write(before); err != nil {
				return err
			}
		}
		if err := os.WriteFile(path, []byte("1"), 0o644); err != nil {
			return fmt.Errorf("set %s to 1: %w", name, err)
		}
	}
	return nil
}

func (o *Options) record() string { return filepath.Join(o.Dir, "sysctls.json") }

func (o *Options) write(before map[string]string) error {
	b, err := json.Marshal(before)
	if err == nil {
		err = os.MkdirAll(o.Dir, 0o755)
	}
	if err == nil {
		err = wholefile.Write(o.record(), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write down how this machine was: %w", err)
	}
	return nil
}

func (o *Options) sysctlsBefore() (map[string]string, error) {
	before := map[string]string{}
	b, err := os.ReadFile(o.record())
	if err == nil && len(b) > 0 { // an empty one is of a version that a full disk could interrupt
		err = json.Unmarshal(b, &before)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read how this machine was: %w", err)
	}
	return before, nil
}

// restoreSysctls sets what was changed back, unless somebody has changed it since.
func (o *Options) restoreSysctls() error {
	before, err := o.sysctlsBefore()
	if err != nil {
		return err
	}
	var errs []error
	for name, value := range before {
		path := filepath.Join(sysctlRoot, name)
		if now, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(now)) == "1" {
			errs = append(errs, os.WriteFile(path, []byte(value), 0o644))
		}
	}
	if err := os.Remove(o.record()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

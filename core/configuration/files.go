package configuration

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// Files are a cluster's configuration: what each file says, by its name. Nil and empty are upstream's defaults with
// the flags of kubeadm. A name that is none of the constants is a file that another one refers to, as
// $(CONFIG_DIR)/NAME.
type Files map[string][]byte

// The names that mean something.
const (
	// Authentication is an AuthenticationConfiguration, AuthenticationWebhook the kubeconfig of a webhook that
	// answers TokenReviews. Tokens is upstream's static token file, BasicAuth the file of passwords that upstream
	// read until 1.18 ("password,user,uid,groups"), which is ours now.
	Authentication        = "authentication.yaml"
	AuthenticationWebhook = "authentication-webhook.yaml"
	Tokens                = "tokens.csv"
	BasicAuth             = "basic-auth.csv"
	// Authorization is an AuthorizationConfiguration, ABAC the policies of its authorizer of that type.
	Authorization = "authorization.yaml"
	ABAC          = "abac.jsonl"
	// Admission is an AdmissionConfiguration, Audit a Policy, Encryption an EncryptionConfiguration, Scheduler a
	// KubeSchedulerConfiguration or the scheduler's Policy that came before it.
	Admission  = "admission.yaml"
	Audit      = "audit.yaml"
	Encryption = "encryption.yaml"
	Scheduler  = "scheduler.yaml"
	// Kubelet is a KubeletConfiguration, of in-tab nodes that start from then on.
	Kubelet = "kubelet.yaml"
	// Outside are addresses outside of the cluster, HOST:PORT, one in a line, that the control plane may reach by the
	// hub: of webhooks and issuers. Whoever runs the hub has to have named them, too.
	Outside = "outside.addresses"
	// APIServerFlags and SchedulerFlags are further flags of upstream's, one in a line.
	APIServerFlags = "kube-apiserver.flags"
	SchedulerFlags = "kube-scheduler.flags"
)

// Dir is what stands in a file for the directory in which it lies: upstream wants absolute paths of kubeconfigs,
// and nobody who writes one knows that directory.
const Dir = "$(CONFIG_DIR)"

// Bounds of what is taken.
const (
	maxFiles = 64
	maxBytes = 1 << 20 // of all files together
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Check holds the files against the bounds, and the lists of flags to be such lists. What the other files say is not
// looked at.
func (f Files) Check() error {
	if len(f) > maxFiles {
		return fmt.Errorf("%d files of configuration are too many; at most %d are taken", len(f), maxFiles)
	}
	total := 0
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(f)) {
		total += len(f[name])
		if !nameForm.MatchString(name) {
			errs = append(errs, fmt.Errorf("%.120q is no name for a file of configuration: letters, digits, dots and dashes, at most 100", name))
		}
	}
	if total > maxBytes {
		errs = append(errs, fmt.Errorf("the configuration has %d bytes; at most %d are taken", total, maxBytes))
	}
	for _, name := range []string{APIServerFlags, SchedulerFlags} {
		if _, err := f.Flags(name); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Has tells whether a file says anything. An empty one is as none: upstream would refuse most of them.
func (f Files) Has(name string) bool { return len(bytes.TrimSpace(f[name])) > 0 }

// Changed are the names of the files in which the two differ, in order.
func (f Files) Changed(other Files) (names []string) {
	for name := range f {
		if f.Has(name) != other.Has(name) || f.Has(name) && !bytes.Equal(f[name], other[name]) {
			names = append(names, name)
		}
	}
	for name := range other {
		if _, both := f[name]; !both && other.Has(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Clone is a copy that shares nothing.
func (f Files) Clone() Files {
	if f == nil {
		return nil
	}
	c := Files{}
	for name, b := range f {
		c[name] = bytes.Clone(b)
	}
	return c
}

// In is what a file says when it lies in the directory dir.
func (f Files) In(dir, name string) []byte {
	return bytes.ReplaceAll(f[name], []byte(Dir), []byte(dir))
}

// WriteTo makes a directory hold these files and no others; each is written whole or not at all, and one that is
// the same already is left as it is. They are for their owner only: some hold secrets.
func (f Files) WriteTo(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the configuration's directory: %w", err)
	}
	for name := range f {
		path, now := filepath.Join(dir, name), f.In(dir, name)
		if had, err := os.ReadFile(path); err == nil && bytes.Equal(had, now) {
			continue
		}
		if err := wholefile.Write(path, now, 0o600); err != nil {
			return fmt.Errorf("write the configuration's %s: %w", name, err)
		}
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look what lies in the configuration's directory: %w", err)
	}
	for _, e := range there {
		if _, ours := f[e.Name()]; !ours {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("remove %s from the configuration: %w", e.Name(), err)
			}
		}
	}
	return nil
}

// Read is what lies in a directory of somebody's: files that are no regular ones, and those whose names begin with a
// dot, are left alone. It is never nil.
func Read(dir string) (Files, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	f, total := Files{}, int64(0)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // through links: mounted ConfigMaps are made of them
		if err != nil {
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
		if !info.Mode().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if total += info.Size(); total > maxBytes || len(f) >= maxFiles {
			return nil, fmt.Errorf("read the configuration: %s holds more than %d files or %d bytes; is it the right directory?", dir, maxFiles, maxBytes)
		}
		if f[e.Name()], err = os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
	}
	return f, f.Check()
}

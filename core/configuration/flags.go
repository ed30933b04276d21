package configuration

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Line is one of a list.
type Line struct {
	Number int // from 1
	Text   string
}

// Lines are those of a list that say something: empty ones, and those that begin with #, do not.
func (f Files) Lines(list string) (lines []Line) {
	n := 0
	for text := range bytes.Lines(f[list]) {
		n++
		if line := strings.TrimSpace(string(text)); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, Line{n, line})
		}
	}
	return lines
}

// Flags are the flags in a list: one in a line, as --name=value.
func (f Files) Flags(list string) (flags []string, err error) {
	var errs []error
	for _, l := range f.Lines(list) {
		line, n := l.Text, l.Number
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(line, "--") || strings.ContainsAny(name, " \t") {
			errs = append(errs, fmt.Errorf("%s, line %d: %.60q is no flag; write one in a line, as --name=value", list, n, line))
			continue
		}
		if why := refused[flagName(line)]; why != "" {
			errs = append(errs, fmt.Errorf("%s, line %d: --%s cannot be set: %s", list, n, flagName(line), why))
			continue
		}
		flags = append(flags, line)
	}
	return flags, errors.Join(errs...)
}

// flagName is the name in "--name=value", as upstream reads it: with _ for - as well.
func flagName(flag string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
	return strings.ReplaceAll(name, "_", "-")
}

// apiserverFlag is the flag of kube-apiserver that each file is the value of.
var apiserverFlag = []struct{ file, flag string }{
	{Authentication, "authentication-config"},
	{AuthenticationWebhook, "authentication-token-webhook-config-file"},
	{Tokens, "token-auth-file"},
	{Authorization, "authorization-config"},
	{ABAC, "authorization-policy-file"},
	{Admission, "admission-control-config-file"},
	{Audit, "audit-policy-file"},
	{Encryption, "encryption-provider-config"},
}

// refused are flags that would take the cluster apart, with the reason.
var refused = map[string]string{}

func init() {
	for _, f := range apiserverFlag {
		refused[f.flag] = "put the file's content into the configuration as " + f.file
	}
	refused["config"] = "put the file's content into the configuration as " + Scheduler
	refused["policy-config-file"] = refused["config"] + ", which becomes a profile of today's"
	refused["encryption-provider-config-automatic-reload"] = "it is always on"
	for why, names := range map[string][]string{
		"the cluster's keys are where it made them": {
			"cert-dir", "client-ca-file", "kubelet-certificate-authority", "kubelet-client-certificate", "kubelet-client-key",
			"proxy-client-cert-file", "proxy-client-key-file", "requestheader-client-ca-file", "service-account-key-file",
			"service-account-signing-key-file", "service-account-signing-endpoint", "tls-cert-file", "tls-private-key-file", "tls-sni-cert-key",
		},
		"the cluster has its own way there": {
			"advertise-address", "bind-address", "secure-port", "permit-port-sharing", "permit-address-sharing", "kubeconfig", "master",
			"authentication-kubeconfig", "authorization-kubeconfig", "egress-selector-config-file", "service-cluster-ip-range",
			"debug-socket-path", "leader-elect",
		},
		"the store is chosen when the cluster starts": {
			"etcd-servers", "etcd-servers-overrides", "etcd-cafile", "etcd-certfile", "etcd-keyfile", "storage-backend",
		},
	} {
		for _, name := range names {
			refused[name] = why
		}
	}
}

// atStart are flags that upstream sets once in a process, or that a cluster which runs would not survive.
var atStart = []string{"etcd-prefix", "feature-gates", "emulated-version", "emulation-forward-compatible", "min-compatibility-version",
	"runtime-config-emulation-forward-compatible"}

// AtStart are the names of those flags, of either list, in which the two differ and which only take effect when
// a cluster starts.
func (f Files) AtStart(other Files) (names []string) {
	for _, list := range []string{APIServerFlags, SchedulerFlags} {
		mine, _ := f.Flags(list)
		theirs, _ := other.Flags(list)
		for _, name := range atStart {
			of := func(flags []string) (some []string) {
				for _, flag := range flags {
					if flagName(flag) == name {
						some = append(some, flag)
					}
				}
				return some
			}
			if !slices.Equal(of(mine), of(theirs)) {
				names = append(names, "--"+name)
			}
		}
	}
	return names
}

// EtcdPrefix is what the keys of objects in the store begin with (--etcd-prefix): "/registry" unless it is told otherwise.
func (f Files) EtcdPrefix() string {
	prefix := "/registry" // k8s.io/kubernetes/pkg/controlplane/apiserver/options, DefaultEtcdPathPrefix
	flags, _ := f.Flags(APIServerFlags)
	for _, flag := range flags {
		if _, value, ok := strings.Cut(flag, "="); ok && flagName(flag) == "etcd-prefix" {
			prefix = value
		}
	}
	return path.Join("/", prefix) // as k8s.io/apiserver/pkg/storage/etcd3 has it
}

// APIServerArgs are the flags of kube-apiserver that files in dir stand for.
func (f Files) APIServerArgs(dir string) ([]string, error) {
	var args []string
	for _, a := range apiserverFlag {
		if f.Has(a.file) {
			args = append(args, "--"+a.flag+"="+filepath.Join(dir, a.file))
		}
	}
	if f.Has(Encryption) {
		args = append(args, "--encryption-provider-config-automatic-reload=true")
	}
	if f.Has(AuthenticationWebhook) {
		// Upstream's default, v1beta1, is not what anybody writes today.
		args = append(args, "--authentication-token-webhook-version=v1")
	}
	flags, err := f.Flags(APIServerFlags)
	return append(args, flags...), err
}

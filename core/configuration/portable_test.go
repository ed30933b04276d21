package configuration_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/clusterfile"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// TestWhatMoves: a cluster's file has the configuration, with secrets only where they are asked for, and whoever
// unpacks it goes on with it.
func TestWhatMoves(t *testing.T) {
	plain := configuration.Files{configuration.Authorization: authorizers("AlwaysAllow"), configuration.APIServerFlags: []byte("--v=1\n")}
	for name, secret := range map[string][]byte{
		configuration.Tokens: []byte("s3cret,reader,7\n"), configuration.BasicAuth: []byte("s3cret,reader,7\n"), configuration.Encryption: []byte("keys"),
		configuration.AuthenticationWebhook: []byte("a kubeconfig"), "hook": []byte("a kubeconfig"), configuration.Scheduler: []byte("extenders: [{tlsConfig: {keyData: x}}]"),
	} {
		f := plain.Clone()
		f[name] = secret
		if text, err := f.Portable(false); text != nil || err != nil || !slices.Equal(f.Secret(), []string{name}) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	plain[configuration.Tokens] = nil // as good as none
	outside := plain.Clone()          // is for the next owner to say
	outside[configuration.Outside] = []byte("hooks.example.com:443\n")
	text, err := outside.Portable(false)
	if err != nil || text == nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	state := mvcc.State{Rev: 7, KVs: []mvcc.KV{{Key: "/registry/zebras/z", Value: "z", CreateRevision: 5, ModRevision: 6, Version: 1}}}
	if err := clusterfile.Write(&file, state, clusterfile.Options{Configuration: text}); err != nil {
		t.Fatal(err)
	}
	f, err := clusterfile.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // as `tar -xf FILE` puts it
	if err := os.WriteFile(filepath.Join(dir, "configuration.json"), f.Configuration, 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := cluster.Options{Dir: dir, Listen: "127.0.0.1:0"}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.New()
	if err != nil || !maps.EqualFunc(c.Configuration(), plain, slices.Equal) || c.ConfigurationsBefore() != 0 {
		t.Errorf("%v, %v", c.Configuration(), err)
	}
}

// TestEtcdPrefix: as upstream reads the flag, the last one of several.
func TestEtcdPrefix(t *testing.T) {
	for flags, want := range map[string]string{
		"":                       "/registry",
		"--v=1\n":                "/registry",
		"--etcd-prefix=/other\n": "/other",
		"--etcd-prefix=a\n--etcd_prefix=other/one/\n": "/other/one",
		"--etcd-prefix=\n":                            "/",
	} {
		if got := (configuration.Files{configuration.APIServerFlags: []byte(flags)}).EtcdPrefix(); got != want {
			t.Errorf("%q: %s, want %s", flags, got, want)
		}
	}
}

package atrest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const object = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"a","uid":"1"}}`

// keys are of a configuration whose resources have these providers, each with a key of the same name.
func keys(t *testing.T, resources ...string) *Keys {
	t.Helper()
	text := "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n" + strings.Join(resources, "")
	file := filepath.Join(t.TempDir(), "encryption.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := Load(t.Context(), file, "/registry")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func resource(name string, providers ...string) string {
	s := "- resources: ['" + name + "']\n  providers:\n"
	for _, p := range providers {
		if p == "identity" {
			s += "  - identity: {}\n"
			continue
		}
		provider, letter, _ := strings.Cut(p, " ")
		s += "  - " + provider + ": {keys: [{name: one, secret: " + strings.Repeat(letter, 42) + "E=}]}\n"
	}
	return s
}

// sealed is an object as the API server would have stored it at a key.
func sealed(t *testing.T, k *Keys, key, text string) string {
	t.Helper()
	for _, r := range k.inOrder(key) {
		out, err := k.of[r].TransformToStorage(t.Context(), []byte(text), at(key))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	t.Fatal("no keys")
	return ""
}

type at string

func (a at) AuthenticatedData() []byte { return []byte(a) }

// TestUnseal: what each provider wrote is read and written again, under the key of the resource that it is, and nothing
// is read that another key, another place in the store or somebody else wrote.
func TestUnseal(t *testing.T) {
	const key = "/registry/secrets/a/s"
	for _, provider := range []string{"aescbc", "aesgcm", "secretbox"} {
		k := keys(t, resource("configmaps", provider+" Q"), resource("secrets", provider+" R", "identity"), resource("*.*", provider+" S"))
		lies := sealed(t, k, key, object)
		if !strings.HasPrefix(lies, "k8s:enc:"+provider+":v1:one:") {
			t.Fatalf("%.40q", lies)
		}
		plain, seal, ok := k.Unseal(key, lies)
		if !ok || plain != object {
			t.Fatalf("%s: %q, %t", provider, plain, ok)
		}
		changed := strings.Replace(object, `"1"`, `"2"`, 1)
		again, err := seal(changed)
		if err != nil || strings.Contains(again, "uid") {
			t.Fatalf("%s: %q, %v", provider, again, err)
		}
		// As the API server reads it: with the keys of Secrets alone.
		if plain, _, ok := keys(t, resource("secrets", provider+" R")).Unseal(key, again); !ok || plain != changed {
			t.Errorf("%s: %q, %t", provider, plain, ok)
		}
		for name, value := range map[string]string{
			"another key's": sealed(t, keys(t, resource("secrets", provider+" T")), key, object),
			"a torn one":    lies[:len(lies)-1], "a prefix": lies[:len("k8s:enc:"+provider+":v1:one:")],
			"a stranger's": "k8s:enc:kms:v2:one:x", "no object": sealed(t, k, key, "garbage"),
		} {
			if plain, _, ok := k.Unseal(key, value); ok {
				t.Errorf("%s, %s: %q", provider, name, plain)
			}
		}
		if _, _, ok := k.Unseal("/registry/secrets/a/other", lies); ok && provider == "aesgcm" {
			t.Error("it is read at another key of the store")
		}
	}
}

func TestLoadFails(t *testing.T) {
	if _, err := Load(t.Context(), filepath.Join(t.TempDir(), "none"), "/registry"); err == nil || !strings.Contains(err.Error(), "encryption's configuration") {
		t.Error(err)
	}
}

package configuration_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/configuration"
)

// encryption is an EncryptionConfiguration of secrets; the first provider writes.
func encryption(providers ...string) []byte {
	s := "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n"
	for _, p := range providers {
		if p == "identity" {
			s += "  - identity: {}\n"
			continue
		}
		s += "  - " + p + ": {keys: [{name: of-" + p + ", secret: " + strings.Repeat("QUJD", 10) + "QUI=}]}\n"
	}
	return []byte(s)
}

// TestAtRest: what lies in the store is what the first provider writes, and each that is named can be read; keys are
// rotated by upstream's reload.
func TestAtRest(t *testing.T) {
	configure(t, nil)
	secrets := admin(t).CoreV1().Secrets("default")
	write := func(name string) {
		t.Helper()
		s, err := secrets.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			s, err = secrets.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
		}
		s.StringData = map[string]string{"word": "in the clear", "n": s.ResourceVersion}
		if _, err := secrets.Update(t.Context(), s, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	lies := func(name, as string) {
		t.Helper()
		kv, found, _, err := running.Store().Inspect().Get("/registry/secrets/default/" + name)
		if err != nil || !found {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		if as == "" != strings.Contains(kv.Value, "in the clear") || !strings.HasPrefix(kv.Value, as) {
			t.Errorf("%s begins with %.40q", name, kv.Value)
		}
		if s, err := secrets.Get(t.Context(), name, metav1.GetOptions{}); err != nil || string(s.Data["word"]) != "in the clear" {
			t.Errorf("%s cannot be read: %v", name, err)
		}
	}
	write("old")
	lies("old", "")
	configure(t, configuration.Files{configuration.Encryption: encryption("aescbc", "identity")})
	write("new")
	lies("new", "k8s:enc:aescbc:v1:of-aescbc:")
	lies("old", "")
	former := []string{"aescbc", "identity"}
	for _, next := range []string{"secretbox", "aesgcm"} {
		former = append([]string{next}, former...)
		did := configure(t, configuration.Files{configuration.Encryption: encryption(former...)})
		if !slices.Equal(did.Reloaded, []string{configuration.Encryption}) {
			t.Errorf("%+v", did)
		}
		write("old")
		lies("old", "k8s:enc:"+next+":v1:of-"+next+":")
		lies("new", "k8s:enc:aescbc:v1:of-aescbc:")
	}
	// Who drops a key too early cannot read what it wrote, and goes back.
	configure(t, configuration.Files{configuration.Encryption: encryption("aesgcm")})
	if _, err := secrets.Get(t.Context(), "new", metav1.GetOptions{}); err == nil {
		t.Error("it is read without its key")
	}
	if _, err := running.RestoreConfiguration(t.Context()); err != nil {
		t.Fatal(err)
	}
	lies("new", "k8s:enc:aescbc:v1:of-aescbc:")
	configure(t, configuration.Files{configuration.Encryption: encryption("identity", "aesgcm", "secretbox", "aescbc")})
	write("old")
	write("new")
	configure(t, nil)
	lies("old", "")
	lies("new", "")
	for _, name := range []string{"old", "new"} {
		if err := secrets.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
}

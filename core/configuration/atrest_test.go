package configuration_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// atRestKey are the 32 bytes ABCABC… of each provider's key, and laterKey DEFDEF… of one that takes its place.
var atRestKey, laterKey = strings.Repeat("QUJD", 10) + "QUI=", strings.Repeat("REVG", 10) + "REU="

// encryption is an EncryptionConfiguration of secrets; the first provider writes, with its later key if it is called
// "later PROVIDER".
func encryption(providers ...string) []byte {
	s := "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n"
	for _, p := range providers {
		if p == "identity" {
			s += "  - identity: {}\n"
			continue
		}
		p, rotated := strings.CutPrefix(p, "later ")
		keys := "{name: of-" + p + ", secret: " + atRestKey + "}"
		if rotated {
			keys = "{name: later, secret: " + laterKey + "}, " + keys
		}
		s += "  - " + p + ": {keys: [" + keys + "]}\n"
	}
	return []byte(s)
}

// TestAtRest: what lies in the store is what the first provider writes, and each that is named can be read; keys are
// rotated by upstream's reload.
func TestAtRest(t *testing.T) {
	telling := listen(t)
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
		// What the page shows of it.
		shown, err := etcdview.New(running.Store().Inspect(), bus).Object("/registry/secrets/default/"+name, etcdview.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if e := shown.Encryption; (e != nil) != (as != "") || e != nil && as != "k8s:enc:"+e.Provider+":v1:"+e.Key+":" || e == nil && shown.Kind != "Secret" {
			t.Errorf("%s is shown as %+v, %s %s", name, e, shown.Encoding, shown.Kind)
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
	// A key has another put before it, in the same provider.
	configure(t, configuration.Files{configuration.Encryption: encryption("later aescbc", "aesgcm", "secretbox", "identity")})
	write("old")
	lies("old", "k8s:enc:aescbc:v1:later:")
	lies("new", "k8s:enc:aescbc:v1:of-aescbc:")
	// Who drops a key too early cannot read what it wrote, and goes back.
	configure(t, configuration.Files{configuration.Encryption: encryption("aesgcm")})
	if _, err := secrets.Get(t.Context(), "new", metav1.GetOptions{}); err == nil {
		t.Error("it is read without its key")
	}
	if _, err := running.RestoreConfiguration(t.Context()); err != nil {
		t.Fatal(err)
	}
	lies("new", "k8s:enc:aescbc:v1:of-aescbc:")
	configure(t, configuration.Files{configuration.Encryption: encryption("identity", "aesgcm", "secretbox", "later aescbc")})
	write("old")
	write("new")
	configure(t, nil)
	lies("old", "")
	lies("new", "")
	telling.holdNone(t, atRestKey, "ABCABCABCABC", laterKey, "DEFDEFDEFDEF")
	for _, name := range []string{"old", "new"} {
		if err := secrets.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// TestGoingBackOverEncryption: a Secret that is encrypted comes back with an owner that comes back under a new UID, and
// the garbage collector leaves it there.
func TestGoingBackOverEncryption(t *testing.T) {
	configure(t, configuration.Files{configuration.Encryption: encryption("aesgcm", "identity")})
	client := admin(t)
	ctx := t.Context()
	owner, err := client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	secrets := client.CoreV1().Secrets("default")
	if _, err := secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "owned", OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.UID}}},
		StringData: map[string]string{"word": "in the clear"},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	points := running.Checkpoints()
	p, err := points.Take("before", true)
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, "kubectl delete configmap owner")
	eventually.True(t, "the collector takes the Secret along", func() bool {
		ctx := t.Context()
		_, err := secrets.Get(ctx, "owned", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	if _, err := points.Restore(ctx, p.ID); err != nil {
		t.Fatal(err)
	}
	now, err := client.CoreV1().ConfigMaps("default").Get(ctx, "owner", metav1.GetOptions{})
	if err != nil || now.UID == owner.UID {
		t.Fatalf("%v, %v", now.UID, err)
	}
	// What was made later is collected: the collector has looked at all before.
	if _, err := secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "orphan", OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.UID}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "what has an owner of then is collected", func() bool {
		ctx := t.Context()
		_, err := secrets.Get(ctx, "orphan", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	s, err := secrets.Get(ctx, "owned", metav1.GetOptions{})
	if err != nil || len(s.OwnerReferences) != 1 || s.OwnerReferences[0].UID != now.UID || string(s.Data["word"]) != "in the clear" {
		t.Errorf("%+v, %v; its owner is %s", s.OwnerReferences, err, now.UID)
	}
	kv, found, _, err := running.Store().Inspect().Get("/registry/secrets/default/owned")
	if err != nil || !found || !strings.HasPrefix(kv.Value, "k8s:enc:aesgcm:v1:of-aesgcm:") {
		t.Errorf("it lies there as %.40q, %v", kv.Value, err)
	}
	kubectl(t, "kubectl delete configmap owner; kubectl delete secret owned --ignore-not-found")
	configure(t, configuration.Files{configuration.Encryption: encryption("identity", "aesgcm")})
	kubectl(t, "kubectl get secrets -A -o json | kubectl replace -f -")
	configure(t, nil)
}

package pairing

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestTheSecretStays(t *testing.T) {
	s := State{filepath.Join(t.TempDir(), "new")}
	if _, err := s.Secret(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first run: %v", err)
	}
	secrets := make([]string, 8)
	var all sync.WaitGroup
	for i := range secrets {
		all.Go(func() {
			var err error
			if secrets[i], err = s.Make(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	want, err := s.Make()
	if err != nil || len(want) < 26 {
		t.Fatalf("%d characters, %v", len(want), err)
	}
	for _, got := range secrets {
		if got != want {
			t.Errorf("two secrets were made")
		}
	}
	for _, name := range []string{"", "pairing-secret"} {
		st, err := os.Stat(filepath.Join(s.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can read %q: %s", name, st.Mode())
		}
	}
	if err := os.Chmod(filepath.Join(s.Dir, "pairing-secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Make(); err == nil {
		t.Error("a secret that others can read is used")
	}
}

func TestAddress(t *testing.T) {
	s := State{t.TempDir()}
	if _, err := s.Find(); err == nil {
		t.Error("a hub was found where there is none")
	}
	want := Address{Page: "https://192.0.2.1:8080", PID: 42, CertHash: "sha256:00"}
	if err := s.Announce(want); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Find(); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for hub, same := range map[string]bool{
		"https://hub.example:8080": true, "http://192.0.2.1:8080": false, "https://192.0.2.1": false, "%": false,
	} {
		if want.SameHub(hub) != same {
			t.Errorf("%s is the same hub: %v", hub, !same)
		}
	}
	s.Withdraw()
	if _, err := s.Find(); err == nil {
		t.Error("the hub is still announced")
	}
}

package pairing

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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
	socket, err := net.Listen("unix", s.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
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
	if st, err := os.Stat(s.addressFile()); err != nil || st.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read where the hub is: %v, %v", st, err)
	}
	s.Withdraw()
	if _, err := s.Find(); err == nil {
		t.Error("the hub is still announced")
	}
}

// A hub that was killed leaves its address behind, and another user's program may listen there: it
// is not found, and what is meant for the hub goes to its socket.
func TestAnAddressThatWasLeftBehind(t *testing.T) {
	s := State{t.TempDir()}
	thief := make(chan string, 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		thief <- r.Header.Get("Authorization")
	}))
	defer elsewhere.Close()
	if err := s.Announce(Address{Page: elsewhere.URL, PID: 42}); err != nil {
		t.Fatal(err)
	}
	killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.Socket(), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	killed.SetUnlinkOnClose(false)
	_ = killed.Close()
	if a, err := s.Find(); err == nil || a.Page != "" {
		t.Errorf("the hub was found at %q", a.Page)
	}
	ask := func() error {
		req, err := http.NewRequest(http.MethodGet, elsewhere.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer secret")
		res, err := s.Client().Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}
	if err := ask(); err == nil {
		t.Error("somebody answered")
	}
	_ = os.Remove(s.Socket())
	socket, err := net.Listen("unix", s.Socket())
	if err != nil {
		t.Fatal(err)
	}
	hub := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	hub.Listener = socket
	hub.Start()
	defer hub.Close()
	if err := ask(); err != nil {
		t.Errorf("the hub: %v", err)
	}
	select {
	case got := <-thief:
		t.Errorf("the secret was told to somebody else: %q", got)
	default:
	}
}

// Whoever may put files into the directory could put another hub's socket there, and be told the secret.
func TestADirectoryThatOthersWriteTo(t *testing.T) {
	const mine, somebody = -1, 4321
	for name, c := range map[string]struct {
		mode       fs.FileMode
		owner, gid int
		ok         bool
	}{
		"its user's":                           {0o700, mine, mine, true},
		"that others may read":                 {0o755, mine, somebody, true},
		"that everybody may write":             {0o777, mine, mine, false},
		"that everybody may write, as a /tmp":  {os.ModeSticky | 0o777, mine, mine, false},
		"that its group may write":             {0o770, mine, somebody, false},
		"that its group may write, as a /tmp":  {os.ModeSticky | 0o770, mine, somebody, false},
		"that is somebody else's":              {0o700, somebody, mine, false},
		"that is somebody else's, for reading": {0o755, somebody, mine, false},
	} {
		t.Run(name, func(t *testing.T) {
			if (c.owner != mine || c.gid != mine) && os.Geteuid() != 0 {
				t.Skip("only root gives a directory to somebody else: it needs root")
			}
			s := State{filepath.Join(t.TempDir(), "state")}
			if err := os.Mkdir(s.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			change := func() {
				t.Helper()
				if err := errors.Join(os.Chown(s.Dir, c.owner, c.gid), os.Chmod(s.Dir, c.mode)); err != nil {
					t.Fatal(err)
				}
			}
			change()
			if _, err := s.Make(); (err == nil) != c.ok {
				t.Errorf("a hub that begins there: %v", err)
			}
			if _, err := os.Stat(s.SecretFile()); errors.Is(err, fs.ErrNotExist) == c.ok {
				t.Errorf("the secret was made: %v", err == nil)
			}
			if err := errors.Join(os.Chown(s.Dir, os.Geteuid(), os.Getegid()), os.Chmod(s.Dir, 0o700)); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Make(); err != nil {
				t.Fatal(err)
			}
			change()
			if _, err := s.Secret(); (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), s.Dir) {
				t.Errorf("a client of a hub there: %v", err)
			}
		})
	}
}

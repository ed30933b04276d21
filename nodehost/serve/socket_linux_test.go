package serve

import (
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/pairing"
)

// Only its user speaks to a hub by its sockets, whatever the umask is and whoever may enter the directory.
func TestTheSocketsAreTheUsers(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	s := pairing.State{Dir: t.TempDir()}
	if err := os.Chmod(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{s.Socket(), s.Gateway()} {
		killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		killed.SetUnlinkOnClose(false)
		_ = killed.Close() // its socket is left, open to all
		ln, err := listenSocket(path)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		if st, err := os.Stat(path); err != nil || st.Mode().Type() != fs.ModeSocket || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, st.Mode(), err)
		}
		if _, err := listenSocket(path); err == nil || !strings.Contains(err.Error(), "is running already") {
			t.Errorf("another hub's socket is taken over: %v", err)
		}
	}
}

package memcached

import (
	"io"
	"net"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// likeMemcached is what is sent, each on a connection of its own.
var likeMemcached = []string{
	"set k 7 0 5\r\nhello\r\nget k\r\n",
	"get absent k\r\nquit\r\nget k\r\n",
	"add k 0 0 1\r\nx\r\nadd fresh 3 0 1\r\nx\r\nreplace none 0 0 1\r\nx\r\nreplace fresh 4 0 2\r\nyz\r\nget fresh\r\n",
	"append k 0 0 1\r\n!\r\nprepend k 9 0 1\r\n>\r\nappend none 0 0 1\r\nx\r\nget k\r\n",
	"set n 0 0 2\r\n10\r\nincr n 5\r\ndecr n 100\r\nincr k 1\r\nincr none 1\r\nincr n x\r\nincr n\r\nincr n 18446744073709551615\r\nincr n 2\r\n",
	"set shrinks 0 0 3\r\n100\r\ndecr shrinks 1\r\nget shrinks\r\n",
	"set q 0 0 1 noreply\r\nx\r\ndelete q\r\ndelete q\r\ndelete\r\n",
	"set q 0 0 1\r\nx\r\ndelete q noreply\r\nget q\r\n",
	"set e 0 -1 1\r\nx\r\nget e\r\nset e 0 100 1\r\nx\r\ntouch e -1\r\nget e\r\ntouch none 1\r\ntouch e\r\ntouch e x\r\n",
	"cas none 0 0 1 1\r\nx\r\ncas k 0 0 1\r\nx\r\n",
	"get k k absent n\r\n", "get\r\n", "gets\r\n", "gets absent\r\n",
	"flush_all\r\nget k\r\n",
	"GET k\r\n", "\r\n", "nonsense\r\n", "set\r\n", "set k\r\n", "set k 0 0 x\r\n", "set k x 0 1\r\nx\r\n",
	"set " + strings.Repeat("k", maxKey+1) + " 0 0 1\r\nx\r\n", "get " + strings.Repeat("k", maxKey+1) + "\r\n", "get " + strings.Repeat("k", maxKey) + "\r\n",
	"set k 0 0 -1\r\n", "set k 0 0 0\r\n\r\nget k\r\n", "set k 4294967295 0 1\r\nx\r\nget k\r\n", "set k 4294967299 0 1\r\nx\r\nget k\r\n",
	"set k 18446744073709551616 0 1\r\nx\r\n", "gat 100\r\n", "gat x k\r\n", "gat -1 k\r\nget k\r\n", "gat\r\n",
	"set k 0 0 3\r\nabcdef\r\n",
	"gat 100 k absent\r\ngats 100 absent\r\n", "verbosity 1\r\n", "verbosity\r\n",
	"flush_all 0\r\n", "flush_all noreply\r\nget k\r\n",
}

// TestLikeDebians: what is sent to this memcached and to Debian's is answered with the same words.
func TestLikeDebians(t *testing.T) {
	bin, err := exec.LookPath("memcached")
	if err != nil {
		t.Skipf("%v (scripts/setup installs it)", err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "s")
	theirs := exec.CommandContext(t.Context(), bin, "-s", socket, "-U", "0", "-u", me.Username)
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = theirs.Process.Kill()
		_ = theirs.Wait() // killed
	})
	ask := func(network, address, wire string) string {
		var c net.Conn
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			if c, err = net.Dial(network, address); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
		}
		defer c.Close()
		if _, err := io.WriteString(c, wire+"\r\nquit\r\n"); err != nil {
			t.Fatal(err)
		}
		all, _ := io.ReadAll(c) // who has been told too much may reset
		return string(all)
	}
	address := start(t)
	for _, wire := range likeMemcached {
		if want, got := ask("unix", socket, wire), ask("tcp", address, wire); got != want {
			t.Errorf("%.80q: %q, want %q", wire, got, want)
		}
	}
}

package kubectl_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/program"
)

// listening is a network that tells when somebody listens, and when they have stopped.
type listening struct {
	program.Network
	begun, ended chan struct{}
}

func (l listening) Listen(ctx context.Context, _, _ string) (net.Listener, error) {
	close(l.begun)
	<-ctx.Done()
	close(l.ended)
	return nil, errors.New("closed")
}

func shellOnly(t *testing.T, network program.Network) *kubectl.Terminal {
	t.Helper()
	term, err := kubectl.New(kubectl.Options{
		RESTConfig: func() *rest.Config { return nil }, FS: program.NewFS(t.TempDir()), Net: network,
	})
	if err != nil {
		t.Fatal(err)
	}
	return term
}

// TestAClosedSessionEnds: the line that runs, and what it left in the background.
func TestAClosedSessionEnds(t *testing.T) {
	l := listening{begun: make(chan struct{}), ended: make(chan struct{})}
	term := shellOnly(t, l)
	s := term.Session("widget")
	if out, _, code := typed(t, s, "x=kept; nc -l -p 80 >/dev/null 2>&1 & echo $x"); out != "kept\n" || code != 0 {
		t.Fatalf("%q and %d", out, code)
	}
	<-l.begun
	code := make(chan int, 1)
	var out buffer
	go func() {
		code <- s.Run(t.Context(), "echo runs; sleep 1000", kubectl.Streams{Stdout: &out})
	}()
	out.waitFor(t, "runs")
	term.Close("widget")
	term.Close("widget")
	term.Close("never opened")
	if c := <-code; c != 130 {
		t.Errorf("the line that ran ends with %d", c)
	}
	<-l.ended
	if out, _, _ := typed(t, term.Session("widget"), "echo [$x]"); out != "[]\n" {
		t.Errorf("a new shell of that name prints %q", out)
	}
	if _, _, c := typed(t, s, "echo late"); c != 130 {
		t.Errorf("a line in a closed shell ends with %d", c)
	}
}

// TestExitEndsItsJobs: nothing could end them afterwards.
func TestExitEndsItsJobs(t *testing.T) {
	l := listening{begun: make(chan struct{}), ended: make(chan struct{})}
	s := shellOnly(t, l).Session("a")
	typed(t, s, "nc -l -p 80 >/dev/null 2>&1 &")
	<-l.begun
	if _, _, code := typed(t, s, "exit 3"); code != 3 {
		t.Errorf("exit code %d", code)
	}
	<-l.ended
	if out, _, code := typed(t, s, "echo anew"); out != "anew\n" || code != 0 {
		t.Errorf("%q and %d", out, code)
	}
}

// TestSessionsAreCounted: whoever makes a name for each line cannot have shells without end.
func TestSessionsAreCounted(t *testing.T) {
	term := shellOnly(t, nil)
	refused := ""
	for i := range 1000 {
		if _, errOut, code := typed(t, term.Session(fmt.Sprint("session-", i)), ":"); code != 0 {
			refused = errOut
		}
	}
	if !strings.Contains(refused, "64 shells are open") {
		t.Errorf("of a thousand the last was told %q", refused)
	}
	if out, _, _ := typed(t, term.Session("session-1"), "echo on"); out != "on\n" {
		t.Errorf("an old one prints %q", out)
	}
	term.Close("session-1")
	if out, errOut, _ := typed(t, term.Session("another"), "echo free"); out != "free\n" {
		t.Errorf("after a close: %q, %q", out, errOut)
	}
}

// TestHelpAndWhichTellTheTruth: what is there, and nothing that only says why it is not.
func TestHelpAndWhichTellTheTruth(t *testing.T) {
	s := shellOnly(t, nil).Session("a")
	out, _, _ := typed(t, s, "help")
	words := strings.Fields(out)
	for _, name := range []string{"cd", "kubectl", "curl", "vi", "awk", "watch"} {
		if !slices.Contains(words, name) {
			t.Errorf("help does not list %s:\n%s", name, out)
		}
	}
	for _, name := range []string{"helm", "docker", "k9s"} {
		if slices.Contains(words, name) {
			t.Errorf("help lists %s", name)
		}
		for _, line := range []string{"which ", "command -v ", "type "} {
			if out, _, code := typed(t, s, line+name); code == 0 || strings.Contains(out, "/bin") {
				t.Errorf("%s%s prints %q and ends with %d", line, name, out, code)
			}
		}
		if _, errOut, code := typed(t, s, name); code != 127 || !strings.HasPrefix(errOut, name+": not found.\n") {
			t.Errorf("%s says %q and ends with %d", name, errOut, code)
		}
	}
	if out, _, _ := typed(t, s, "which kubectl; command -v curl"); out != "/bin/kubectl\n/bin/curl\n" {
		t.Errorf("what is there is at %q", out)
	}
}

//go:build unix

package persist

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// childDir names the directory in which this program, started again, writes until
// it is killed.
const childDir = "TABERNETES_PERSIST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Fprintln(os.Stderr, writeForEver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver prints each revision once it is acknowledged.
func writeForEver(dir string) error {
	sink, err := OpenDir(dir)
	if err != nil {
		return err
	}
	// What a kill may lose does not depend on the policy: this is the weakest.
	e, err := mvcc.Open(mvcc.Options{
		Journal:          Open(sink, Options{Sync: SyncNever, SnapshotBytes: 32 << 10}),
		ProgressInterval: -1,
	})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for range 4 { // who share flushes
		go func() {
			for {
				rev, err := advance(e)
				if err == nil {
					_, err = fmt.Println(rev)
				}
				if err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

// TestKill kills a writing process with SIGKILL, over and over on one store. No
// acknowledged write is missing, no revision is there in part.
func TestKill(t *testing.T) {
	dir, want := filepath.Join(t.TempDir(), "store"), newReplica()
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for i := range count(30, 1000) {
		acknowledged := killOnce(t, dir, time.Duration(r.IntN(20_000))*time.Microsecond)
		sink, err := OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		e := openEngine(t, sink, Options{SnapshotBytes: 32 << 10})
		if got := e.Revision(); got < acknowledged {
			t.Fatalf("kill %d: revision %d, but %d was acknowledged", i, got, acknowledged)
		}
		want.check(t, e)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d revisions", want.rev)
	if want.rev < 100 {
		t.Error("hardly anything was written: the test proves nothing")
	}
}

// killOnce runs a writer, kills it so long after its first write, and returns the
// highest revision that it was heard to acknowledge.
func killOnce(t *testing.T, dir string, after time.Duration) (acknowledged int64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		rev, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			break // the last line may be half of one
		}
		if acknowledged == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		acknowledged = max(acknowledged, rev)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the writer ended by itself: %v: %s", err, stderr.String())
	}
	return acknowledged
}

// TestOneProcess: a directory is one process's.
func TestOneProcess(t *testing.T) {
	dir := t.TempDir()
	sink, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(dir); err == nil {
		t.Error("opened twice")
	}
	// A process that was killed gives it back a moment after it was seen to end.
	time.AfterFunc(100*time.Millisecond, func() { _ = sink.Close() })
	next, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = next.Close()
}

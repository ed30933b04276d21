package memfs

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func pipes(t *testing.T) (f *FS, r, w int) {
	t.Helper()
	f = New()
	r, w, err := f.Pipe()
	must(t, err)
	return f, r, w
}

func TestPipeWaitsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, r, w := pipes(t)
		big := bytes.Repeat([]byte("x"), 3*pipeSize+5)
		go func() {
			n, err := f.Write(w, big)
			if n != len(big) || err != nil {
				t.Errorf("write: %d, %v", n, err)
			}
			must(t, f.Close(w))
		}()
		var got []byte
		b := make([]byte, 10_000)
		for {
			n, err := f.Read(r, b)
			must(t, err)
			if n == 0 {
				break
			}
			got = append(got, b[:n]...)
		}
		if !bytes.Equal(got, big) {
			t.Errorf("read %d bytes of %d", len(got), len(big))
		}
	})
}

func TestPipeWithoutReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, r, w := pipes(t)
		time.AfterFunc(time.Second, func() { must(t, f.Close(r)) })
		if _, err := f.Write(w, make([]byte, pipeSize+1)); err != syscall.EPIPE {
			t.Errorf("got %v, want EPIPE", err)
		}
	})
}

func TestPipeDuplicateKeepsItOpen(t *testing.T) {
	f, r, w := pipes(t)
	w2, err := f.Dup(w)
	must(t, err)
	must(t, f.Close(w))
	if n, err := f.Write(w2, []byte("still")); n != 5 || err != nil {
		t.Fatalf("write: %d, %v", n, err)
	}
	must(t, f.Close(w2))
	b := make([]byte, 10)
	if n, err := f.Read(r, b); n != 5 || err != nil {
		t.Fatalf("read: %d, %v", n, err)
	}
	if n, err := f.Read(r, b); n != 0 || err != nil {
		t.Fatalf("at the end: %d, %v", n, err)
	}
}

func TestPipeDeadlineAndStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, r, w := pipes(t)
		begin := time.Now()
		must(t, f.SetDeadline(r, begin.Add(time.Second), true, false))
		if _, err := f.Read(r, make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v, want a deadline exceeded", err)
		}
		if d := time.Since(begin); d != time.Second {
			t.Errorf("gave up after %v", d)
		}
		must(t, f.SetDeadline(r, time.Time{}, true, false))
		time.AfterFunc(time.Hour, func() { must(t, f.StopIO(r)) })
		if _, err := f.Read(r, make([]byte, 1)); err != syscall.EAGAIN {
			t.Errorf("got %v, want EAGAIN", err)
		}
		must(t, f.Close(w))
	})
}

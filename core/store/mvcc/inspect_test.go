package mvcc

import (
	"errors"
	"fmt"
	"testing"
)

func TestKeys(t *testing.T) {
	e := open(t, Options{})
	for i := range 25 {
		put(t, e, fmt.Sprintf("/a/%02d", i), "value")
	}
	put(t, e, "/b", "")
	put(t, e, "/a/03", "longer value")
	var got []KeyInfo
	for after := ""; ; {
		page, err := e.Keys("/a/", after, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, page...)
		after = page[len(page)-1].Key
	}
	if len(got) != 25 || got[24].Key != "/a/24" {
		t.Fatalf("%d keys: %v", len(got), got)
	}
	if want := (KeyInfo{Key: "/a/03", CreateRevision: 5, ModRevision: 28, Version: 2, Bytes: 12}); got[3] != want {
		t.Errorf("%+v, want %+v", got[3], want)
	}
	if all, _ := e.Keys("", "", 0); len(all) != 26 {
		t.Errorf("%d keys in all, want 26", len(all))
	}
}

func TestKeyHistoryAndRecords(t *testing.T) {
	e := open(t, Options{})
	put(t, e, "a", "1")
	put(t, e, "b", "1")
	put(t, e, "a", "2")
	del(t, e, "a") // revision 5
	h, err := e.KeyHistory("a")
	if err != nil || len(h) != 3 || h[0].Prev != nil || h[1].KV.Value != "2" || h[1].Prev.Value != "1" || !h[2].Delete || h[2].KV.ModRevision != 5 {
		t.Errorf("%+v, %v", h, err)
	}
	r, err := e.Records(3, 2)
	if err != nil || len(r) != 2 || r[0].Rev != 3 || r[1].Changes[0].KV.Key != "a" {
		t.Errorf("%+v, %v", r, err)
	}
	if err := e.Compact(4); err != nil {
		t.Fatal(err)
	}
	if r[1].Changes[0].Prev == nil {
		t.Error("what was given out changes with a compaction")
	}
	if _, err := e.Records(3, 0); !errors.Is(err, ErrCompacted) {
		t.Errorf("compacted: %v", err)
	}
	if r, err := e.Records(6, 0); err != nil || len(r) != 0 {
		t.Errorf("from the next revision: %v, %v", r, err)
	}
	if h, _ := e.KeyHistory("a"); len(h) != 2 {
		t.Errorf("after a compaction: %+v", h)
	}
}

func TestWatchers(t *testing.T) {
	e := open(t, Options{})
	put(t, e, "a", "1")
	slow := watch(t, e, WatchOptions{Key: "a", End: "b"})
	quick := watch(t, e, WatchOptions{Key: "a", Rev: 1})
	idle := watch(t, e, WatchOptions{Key: "x"})
	put(t, e, "a", "2") // revision 3
	put(t, e, "y", "1")
	put(t, e, "a", "3")
	next(t, quick)
	put(t, e, "y", "2") // revision 6
	got := e.Watchers()
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []WatcherInfo{
		{ID: 1, Key: "a", End: "b", From: 3, Next: 3, Lag: 4},
		{ID: 2, Key: "a", From: 1, Events: 3},
		{ID: 3, Key: "x", From: 3},
	} {
		want.Began = got[i].Began
		if got[i] != want {
			t.Errorf("%+v, want %+v", got[i], want)
		}
	}
	slow.Close()
	idle.Close()
	if got := e.Watchers(); len(got) != 1 || got[0].ID != 2 {
		t.Errorf("%+v", got)
	}
}

package clusterfile

import (
	"archive/tar"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

const secret = "hunter2"

func state() mvcc.State {
	kv := func(key, value string) mvcc.KV {
		return mvcc.KV{Key: key, Value: value, CreateRevision: 5, ModRevision: 40, Version: 3}
	}
	return mvcc.State{Rev: 77, KVs: []mvcc.KV{
		kv("/registry/configmaps/default/a", strings.Repeat("a", 3000)),
		kv("/registry/secrets/default/s", secret),
		kv("/registry/zebras/default/z", "z"),
		kv("/registry/zebras/secrets/z", "z"), // in a namespace of that name
	}}
}

// noMore drops what goes along.
func noMore(persist.Sink) error { return nil }

func written(t *testing.T, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, state(), o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var keys = fstest.MapFS{"ca.crt": {Data: []byte("cert")}, "ca.key": {Data: []byte("PRIVATE")}, "etcd/ca.crt": {Data: []byte("other")}}

// TestAClusterThereAndBack: what a file has is what the cluster had; unpacked, it is a data directory's store.
func TestAClusterThereAndBack(t *testing.T) {
	f, err := Read(bytes.NewReader(written(t, Options{Secrets: true, Keys: keys, Configuration: []byte("{}")})))
	if err != nil {
		t.Fatal(err)
	}
	if f.Revision != 77 || f.Objects != 4 || len(f.PKI) != 3 || string(f.Configuration) != "{}" || string(f.PKI["etcd/ca.crt"]) != "other" {
		t.Errorf("%+v", f)
	}
	dir := filepath.Join(t.TempDir(), "store")
	sink, err := persist.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Into(sink, noMore); err != nil {
		t.Fatal(err)
	}
	if err := f.Into(sink, noMore); err == nil {
		t.Error("imported over a cluster that was there")
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := store.Read(dir)
	if err != nil || got.Rev != 77 || len(got.KVs) != 4 || got.KVs[1].Value != secret {
		t.Errorf("%d keys at revision %d, %v", len(got.KVs), got.Rev, err)
	}
}

// TestNothingSecretUnlessAskedFor looks for the bytes themselves.
func TestNothingSecretUnlessAskedFor(t *testing.T) {
	text := written(t, Options{})
	if bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte("PRIVATE")) {
		t.Error("a Secret or a key is in it")
	}
	for _, key := range []string{"/secrets/default/s", "/other/prefix/secrets/default/s"} { // --etcd-prefix
		var b bytes.Buffer
		elsewhere := mvcc.State{Rev: 5, KVs: []mvcc.KV{{Key: key, Value: secret, CreateRevision: 5, ModRevision: 5, Version: 1}}}
		if err := Write(&b, elsewhere, Options{}); err != nil || bytes.Contains(b.Bytes(), []byte(secret)) {
			t.Errorf("%s: a Secret is in it, or %v", key, err)
		}
	}
	f, err := Read(bytes.NewReader(text))
	if err != nil || f.Objects != 3 || len(f.PKI) != 0 || f.Configuration != nil {
		t.Errorf("%+v, %v", f, err)
	}
	if err := Write(&bytes.Buffer{}, state(), Options{Keys: keys}); err == nil {
		t.Error("keys were written without Secrets being asked for")
	}
}

// TestACopyHasNoKeys: it is another cluster with the same objects.
func TestACopyHasNoKeys(t *testing.T) {
	to := newMemory()
	if err := Copy(to, state(), noMore); err != nil {
		t.Fatal(err)
	}
	if got, err := persist.Read(to); err != nil || got.Rev != 77 || len(got.KVs) != 4 {
		t.Errorf("%d keys at revision %d, %v", len(got.KVs), got.Rev, err)
	}
	if err := Copy(to, state(), noMore); err == nil {
		t.Error("copied over a cluster that was there")
	}
}

func archive(t *testing.T, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		if err := add(w, f[0], []byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileFiles: each is refused, with a reason, and nothing is made of it.
func TestHostileFiles(t *testing.T) {
	whole := written(t, Options{Secrets: true, Keys: keys})
	content := func(name string) string {
		r := tar.NewReader(bytes.NewReader(whole))
		for {
			head, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if head.Name == name {
				var b bytes.Buffer
				b.ReadFrom(r)
				return b.String()
			}
		}
	}
	snapshot, journal := content("store/snapshot-00000001"), content("store/journal-00000001")
	newer := []byte(snapshot)
	newer[7]++
	for name, text := range map[string][]byte{
		"empty": {}, "a text": []byte("apiVersion: v1\nkind: List\n"), "zeros": make([]byte, 2048),
		"said to be newer":                  archive(t, [2]string{"tabernetes.json", `{"version":2}`}, [2]string{"store/snapshot-00000001", snapshot}, [2]string{"store/journal-00000001", journal}),
		"less than it says":                 archive(t, [2]string{"tabernetes.json", `{"version":1,"files":{"store/journal-00000009":"x"}}`}, [2]string{"store/snapshot-00000001", snapshot}, [2]string{"store/journal-00000001", journal}),
		"no store":                          archive(t, [2]string{"cluster/pki/ca.crt", "x"}),
		"of a newer version":                archive(t, [2]string{"store/snapshot-00000001", string(newer)}, [2]string{"store/journal-00000001", journal}),
		"without its snapshot":              archive(t, [2]string{"store/journal-00000001", journal}),
		"a snapshot of nothing":             archive(t, [2]string{"store/snapshot-00000001", ""}, [2]string{"store/journal-00000001", journal}),
		"a name that leads out":             archive(t, [2]string{"store/../../x", "x"}, [2]string{"store/snapshot-00000001", snapshot}),
		"a key that leads out":              archive(t, [2]string{"cluster/pki/../../x", "x"}, [2]string{"store/snapshot-00000001", snapshot}, [2]string{"store/journal-00000001", journal}),
		"a file twice":                      archive(t, [2]string{"store/snapshot-00000001", snapshot}, [2]string{"store/snapshot-00000001", snapshot}),
		"a configuration twice":             archive(t, [2]string{"cluster/configuration.json", "{}"}, [2]string{"cluster/configuration.json", "{}"}, [2]string{"store/snapshot-00000001", snapshot}, [2]string{"store/journal-00000001", journal}),
		"a configuration that is too large": archive(t, [2]string{"cluster/configuration.json", strings.Repeat("x", 16<<20+1)}, [2]string{"store/snapshot-00000001", snapshot}, [2]string{"store/journal-00000001", journal}),
		"a key that is too large":           archive(t, [2]string{"cluster/pki/ca.key", strings.Repeat("x", 1<<20+1)}, [2]string{"store/snapshot-00000001", snapshot}),
	} {
		if f, err := Read(bytes.NewReader(text)); err == nil {
			t.Errorf("%s: taken as %+v", name, f)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		cut := r.IntN(len(whole) - 2048) // behind that are padding and the archive's end, of zeros
		if _, err := Read(bytes.NewReader(whole[:cut])); err == nil {
			t.Errorf("cut at %d of %d: taken", cut, len(whole))
		}
		flipped := bytes.Clone(whole)
		flipped[r.IntN(len(flipped))] ^= byte(1 << r.IntN(8))
		if f, err := Read(bytes.NewReader(flipped)); err == nil && (f.Revision != 77 || f.Objects != 4 || string(f.PKI["ca.key"]) != "PRIVATE") {
			t.Errorf("with a bit turned it is %+v", f)
		}
	}
	if _, err := Read(&endless{}); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("without an end: %v", err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read(bytes.NewReader(hole("store/journal-00000001", 1<<40))); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("a terabyte of holes: %v", err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 8*MaxBytes {
		t.Errorf("a terabyte of holes took %d MiB", (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}

// hole is an archive with one file of so many bytes that the archive does not have, as GNU tar's --sparse writes it.
func hole(name string, size int64) []byte {
	var all bytes.Buffer
	put := func(kind byte, content string) {
		var head [512]byte
		copy(head[:], "x")
		copy(head[124:], fmt.Sprintf("%011o", len(content)))
		copy(head[148:], "        ")
		head[156] = kind
		copy(head[257:], "ustar\x0000")
		sum := 0
		for _, b := range head {
			sum += int(b)
		}
		copy(head[148:], fmt.Sprintf("%06o\x00", sum))
		all.Write(head[:])
		all.WriteString(content)
		all.Write(make([]byte, (512-len(content)%512)%512))
	}
	var says string
	for _, field := range []string{"major=1", "minor=0", "name=" + name, fmt.Sprintf("realsize=%d", size)} {
		const more = len("00 GNU.sparse.\n")
		says += fmt.Sprintf("%d GNU.sparse.%s\n", more+len(field), field)
	}
	put('x', says)
	parts := fmt.Sprintf("1\n%d\n0\n", size) // which there are: one of no bytes, at the end
	put('0', parts+strings.Repeat("\x00", 512-len(parts)))
	all.Write(make([]byte, 1024))
	return all.Bytes()
}

// endless is an archive with one file that never ends.
type endless struct{ at int }

func (e *endless) Read(p []byte) (int, error) {
	if e.at == 0 {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		_ = w.WriteHeader(&tar.Header{Name: "cluster/nodes/x", Size: 1 << 40, Mode: 0o600, Format: tar.FormatGNU})
		e.at = copy(p, b.Bytes())
		return e.at, nil
	}
	return len(p), nil
}

// TestADataDirectoryIsAFile: an archive of what a native cluster keeps.
func TestADataDirectoryIsAFile(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(store.Options{Path: filepath.Join(dir, "store"), Initial: new(mvcc.State)})
	if err == nil {
		_ = s.Close()
	}
	dir = t.TempDir()
	initial := state()
	if s, err = store.Open(store.Options{Path: filepath.Join(dir, "store"), Initial: &initial}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"cluster/pki/ca.crt": "cert", "cluster/nodes/node-1/etc/hostname": "x", "cluster/admin.conf": "x"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Read(&b)
	if err != nil || f.Revision != 77 || len(f.PKI) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

// keeping has checkpoints of a store kept in a directory, which others may have used before; told is what was told.
func keeping(t *testing.T, e Store, dir string) (c *Checkpoints, told *[]error) {
	t.Helper()
	sink, err := persist.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sink.Close() })
	told = new([]error)
	c = New(e, "/registry", func(context.Context) error { return nil })
	c.Keep(sink, func(err error) { *told = append(*told, err) })
	return c, told
}

func again(t *testing.T, e Store, c *Checkpoints, dir string) (*Checkpoints, *[]error) {
	t.Helper()
	_ = c.kept.sink.Close()
	return keeping(t, e, dir)
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, fileName+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func sameAs(t *testing.T, got, want *Checkpoints) {
	t.Helper()
	a, b := got.List(), want.List()
	if len(a) != len(b) {
		t.Fatalf("%d checkpoints, want %d", len(a), len(b))
	}
	for i := range a {
		if !a[i].Time.Equal(b[i].Time) {
			t.Errorf("%v, want %v", a[i].Time, b[i].Time)
		}
		a[i].Time = b[i].Time
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("%+v, want %+v", a[i], b[i])
		}
		if x, y := must[mvcc.State](t)(got.State(a[i].ID)), must[mvcc.State](t)(want.State(b[i].ID)); !reflect.DeepEqual(x, y) {
			t.Errorf("checkpoint %d: %v, want %v", a[i].ID, x, y)
		}
	}
}

// TestKeptThereAndBack takes some, reads them as another program would, goes back to one, and reads them again.
func TestKeptThereAndBack(t *testing.T) {
	const set, pod = "11111111-aaaa-4aaa-8aaa-111111111111", "22222222-aaaa-4aaa-8aaa-222222222222"
	owner := func(uid string) string {
		return fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"example.org/v1","kind":"Thing","name":"x","uid":%q}]`, uid)
	}
	e, _ := open(t)
	dir := t.TempDir()
	c, told := keeping(t, e, dir)
	large := strings.Repeat("x", 300_000)
	put(t, e, at+"large", thing("large", "9", large, "", ""))
	for i := range 20 {
		put(t, e, at+"a", thing("a", "1", fmt.Sprint(i), "", ""))
		if i == 5 {
			put(t, e, at+"set", thing("set", set, "x", "", ""))
			put(t, e, at+"pod", thing("pod", pod, "x", "", owner(set)))
		}
		if i == 10 {
			remove(t, e, at+"pod")
			remove(t, e, at+"set")
		}
		must[Checkpoint](t)(c.Take(fmt.Sprintf("kubectl apply %d", i), i%2 == 0))
		c.save()
	}
	names := files(t, dir)
	if len(names) != 1 {
		t.Fatalf("%q", names)
	}
	// What is the same in all of them is there once.
	if info, err := os.Stat(names[0]); err != nil || info.Size() > 320_000 {
		t.Errorf("%v, %v", info.Size(), err)
	}
	back, toldBack := again(t, e, c, dir)
	sameAs(t, back, c)
	if kept, lost := back.Kept(); !kept || lost != "" || len(*told)+len(*toldBack) > 0 {
		t.Errorf("%v, %q, %v %v", kept, lost, *told, *toldBack)
	}
	// The store's values are not there twice.
	kvs := must[mvcc.State](t)(e.State()).KVs
	for i, kv := range usual.inScope(kvs) {
		last := back.all[len(back.all)-1].kvs[i]
		if kv.Key != last.Key || kv.Value != last.Value || kv.ModRevision != last.ModRevision {
			t.Errorf("%s is not %s", last.Key, kv.Key)
		}
	}

	// Owners come back under other UIDs, in what is kept as well; later revisions are later.
	rev := e.Status().Revision
	must[*Difference](t)(back.Restore(t.Context(), 8))
	now := contents(t, e)
	uid := string(usual.decode(&mvcc.KV{Key: at + "set", Value: now[at+"set"]}).decoded.GetUID())
	if uid == set || now[at+"pod"] != thing("pod", pod, "x", "", owner(uid)) {
		t.Errorf("%s, %s", uid, now[at+"pod"])
	}
	if e.Status().Revision <= rev {
		t.Error("revisions went back")
	}
	back.save()
	third, _ := again(t, e, back, dir)
	sameAs(t, third, back)
	if d := must[*Difference](t)(third.Difference(8)); d.ComesBack+d.Changes+d.Goes != 0 {
		t.Errorf("%+v", d)
	}
	put(t, e, at+"a", thing("a", "1", "later", "", ""))
	if next := must[Checkpoint](t)(third.Take("next", false)); next.ID <= back.last {
		t.Errorf("checkpoint %d after %d", next.ID, back.last)
	}
}

// TestKilledBeforeRenewedUIDsWereWritten goes back from what the file still has under old ones.
func TestKilledBeforeRenewedUIDsWereWritten(t *testing.T) {
	const set, pod = "11111111-aaaa-4aaa-8aaa-111111111111", "22222222-aaaa-4aaa-8aaa-222222222222"
	owner := func(uid string) string {
		return fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"example.org/v1","kind":"Thing","name":"x","uid":%q}]`, uid)
	}
	e, _ := open(t)
	dir := t.TempDir()
	c, _ := keeping(t, e, dir)
	put(t, e, at+"set", thing("set", set, "x", "", ""))
	put(t, e, at+"pod", thing("pod", pod, "x", "", owner(set)))
	p := must[Checkpoint](t)(c.Take("", false))
	c.save()
	remove(t, e, at+"pod")
	remove(t, e, at+"set")
	must[*Difference](t)(c.Restore(t.Context(), p.ID))
	back, _ := again(t, e, c, dir) // without save
	must[*Difference](t)(back.Restore(t.Context(), p.ID))
	now := contents(t, e)
	uid := string(usual.decode(&mvcc.KV{Key: at + "set", Value: now[at+"set"]}).decoded.GetUID())
	if now[at+"pod"] != thing("pod", pod, "x", "", owner(uid)) {
		t.Errorf("the owner is %s, and of the pod it is %s", uid, now[at+"pod"])
	}
}

// TestAnotherStore has what was kept of one that is gone: the same revisions, other values.
func TestAnotherStore(t *testing.T) {
	e, _ := open(t)
	dir := t.TempDir()
	c, _ := keeping(t, e, dir)
	put(t, e, at+"a", thing("a", "1", "then", "", ""))
	p := must[Checkpoint](t)(c.Take("", false))
	c.save()
	other, _ := open(t)
	put(t, other, at+"a", thing("a", "1", "now", "", ""))
	back, _ := again(t, other, c, dir)
	if s := must[mvcc.State](t)(back.State(p.ID)); s.KVs[0].ModRevision < 1 {
		t.Errorf("%+v", s)
	}
	if d := must[*Difference](t)(back.Restore(t.Context(), p.ID)); d.Changes != 1 {
		t.Errorf("%+v", d)
	}
	if got := contents(t, other)[at+"a"]; got != thing("a", "1", "then", "", "") {
		t.Error(got)
	}
}

// TestEveryTearAndFlip reads what is before it, says so, and goes on.
func TestEveryTearAndFlip(t *testing.T) {
	e, _ := open(t)
	dir := t.TempDir()
	c, _ := keeping(t, e, dir)
	for i := range 4 {
		put(t, e, at+"a", thing("a", "1", fmt.Sprint(i), "", ""))
		put(t, e, at+fmt.Sprint(i), thing("b", "2", fmt.Sprint(i), "", ""))
		must[Checkpoint](t)(c.Take(fmt.Sprint(i), false))
		c.save()
	}
	whole, err := os.ReadFile(files(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	kvs := map[int][]mvcc.KV{}
	var ends []int
	for _, p := range c.all {
		kvs[p.ID] = p.kvs
	}
	live := must[mvcc.State](t)(e.State()).KVs
	look := func(what string, file []byte, intact bool) {
		t.Helper()
		all, err := usual.readRecords(file, shared(live))
		if (err == nil) != intact {
			t.Fatalf("%s: %v", what, err)
		}
		for i, p := range all {
			if p.ID != i+1 || !reflect.DeepEqual(p.kvs, kvs[p.ID]) {
				t.Fatalf("%s: checkpoint %d is another one", what, p.ID)
			}
		}
	}
	for n := range whole {
		all, err := usual.readRecords(whole[:n], shared(live))
		if err == nil {
			ends = append(ends, n)
		}
		look(fmt.Sprintf("torn at %d", n), whole[:n], err == nil && len(all) == len(ends)-1)
		flipped := bytes.Clone(whole)
		flipped[n] ^= 0x10
		look(fmt.Sprintf("flipped at %d", n), flipped, false)
	}
	if len(ends) != 4 { // before each record
		t.Errorf("%d", ends)
	}

	// The file of a cluster: said, and written anew.
	if err := os.WriteFile(files(t, dir)[0], whole[:len(whole)-3], 0o600); err != nil {
		t.Fatal(err)
	}
	back, told := again(t, e, c, dir)
	if kept, lost := back.Kept(); !kept || !strings.Contains(lost, "3 moments could be read") || len(*told) != 1 {
		t.Errorf("%v, %q, %v", kept, lost, *told)
	}
	back.save()
	third, told := again(t, e, back, dir)
	if all := third.List(); len(all) != 3 || len(*told) > 0 || len(files(t, dir)) != 1 {
		t.Errorf("%+v, %v, %q", all, *told, files(t, dir))
	}
	// Nothing of it can be read.
	for _, file := range []string{"tnpoint\x02and more", "something else"} {
		if err := os.WriteFile(files(t, dir)[0], []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		fourth, told := again(t, e, third, dir)
		if all := fourth.List(); len(all) != 0 || len(*told) != 1 {
			t.Errorf("%+v, %v", all, *told)
		}
		must[Checkpoint](t)(fourth.Take("anew", false))
		fourth.save()
		third = fourth
	}
}

// TestKeptAreBounded takes more than fit: the oldest go, and the file stays below its bound.
func TestKeptAreBounded(t *testing.T) {
	e, _ := open(t)
	dir := t.TempDir()
	c, told := keeping(t, e, dir)
	value := strings.Repeat("x", 1<<20)
	for i := range 3 * MaxCount {
		put(t, e, at+"small", fmt.Sprint(i))
		if i%2 == 0 {
			put(t, e, at+"large", fmt.Sprint(i)+value)
		}
		must[Checkpoint](t)(c.Take("", false))
		c.save()
		for _, name := range files(t, dir) {
			if info, err := os.Stat(name); err != nil || info.Size() > MaxFile {
				t.Fatalf("%v, %v", info.Size(), err)
			}
		}
	}
	back, _ := again(t, e, c, dir)
	all, want := back.List(), c.List()
	if len(all) < 10 || all[len(all)-1].ID != want[len(want)-1].ID || len(*told) > 0 {
		t.Errorf("%d of %d, %v", len(all), len(want), *told)
	}
	// One that is too large alone is not kept, which is said once.
	for i := range 16 {
		put(t, e, at+fmt.Sprint("larger", i), fmt.Sprint(i)+value)
	}
	for range 2 {
		must[Checkpoint](t)(back.Take("", true))
		back.save()
	}
	if kept, why := back.Kept(); kept || !strings.Contains(why, "ends with this tab") {
		t.Errorf("%v, %q", kept, why)
	}
}

// TestAskedOnesStay: what somebody asked for outlives what is taken before commands, in memory and in the file, also if
// nothing was written until the last one of the file had gone; and it is bounded, too.
func TestAskedOnesStay(t *testing.T) {
	e, _ := open(t)
	dir := t.TempDir()
	c, told := keeping(t, e, dir)
	take := func(i int, asked bool) int {
		put(t, e, at+"small", fmt.Sprint(i, asked))
		return must[Checkpoint](t)(c.Take("", asked)).ID
	}
	var asked []int
	for i := range 4 {
		for n := range MaxCount {
			take(n+i*MaxCount, false)
			if i < 2 { // later: all at once
				c.save()
			}
		}
		asked = append(asked, take(i, true))
	}
	c.save()
	back, _ := again(t, e, c, dir)
	sameAs(t, back, c)
	for _, all := range [][]Checkpoint{c.List(), back.List()} {
		for _, id := range asked {
			if !slices.ContainsFunc(all, func(p Checkpoint) bool { return p.ID == id && p.Asked }) {
				t.Errorf("%d was asked for and is not there", id)
			}
		}
		if len(all) != MaxCount {
			t.Errorf("%d", len(all))
		}
	}
	for i, p := range c.all {
		next := p.kvs
		if i+1 < len(c.all) {
			next = c.all[i+1].kvs
		}
		if p.Bytes != alone(p.kvs, next) {
			t.Errorf("%d is said to have %d bytes", p.ID, p.Bytes)
		}
	}
	must[*Difference](t)(back.Restore(t.Context(), asked[0]))
	if got := contents(t, e)[at+"small"]; got != "0 true" {
		t.Errorf("%q", got)
	}
	for i := range MaxCount {
		take(i, true)
	}
	if all := c.List(); len(all) != MaxCount || slices.ContainsFunc(all, func(p Checkpoint) bool { return p.ID == asked[3] || !p.Asked }) || len(*told) > 0 {
		t.Errorf("%+v, %v", all, *told)
	}
}

// TestStepsStay: how steps began is kept, each once, also if the file has an earlier beginning of them.
func TestStepsStay(t *testing.T) {
	e, _ := open(t)
	dir := t.TempDir()
	c, told := keeping(t, e, dir)
	for i := range 3 {
		for step := range MaxSteps {
			put(t, e, at+"small", fmt.Sprint(i, step))
			must[Checkpoint](t)(c.TakeStep("a lesson", fmt.Sprint("step ", step)))
			c.save()
		}
	}
	back, _ := again(t, e, c, dir)
	sameAs(t, back, c)
	all := back.List()
	if len(all) != MaxSteps || all[0].Of != "a lesson" || all[0].Why != "step 0" || len(*told) > 0 {
		t.Fatalf("%d, %+v, %v", len(all), all[0], *told)
	}
	must[*Difference](t)(back.Restore(t.Context(), all[3].ID))
	if got := contents(t, e)[at+"small"]; got != "2 3" {
		t.Errorf("%q", got)
	}
}

// TestAFullDisk says that nothing more is kept, leaves what was, and goes on once there is room.
func TestAFullDisk(t *testing.T) {
	e, _ := open(t)
	dir := t.TempDir()
	c, told := keeping(t, e, dir)
	put(t, e, at+"a", "1")
	must[Checkpoint](t)(c.Take("first", false))
	c.save()
	whole := c.kept.sink
	c.kept.sink = full{whole}
	put(t, e, at+"a", "2")
	for range 2 {
		must[Checkpoint](t)(c.Take("second", true))
		c.save()
	}
	if kept, why := c.Kept(); kept || !strings.Contains(why, "the disk is full") || len(*told) != 1 {
		t.Errorf("%v, %q, %v", kept, why, *told)
	}
	c.kept.sink = whole
	must[Checkpoint](t)(c.Take("third", true))
	c.save()
	if kept, why := c.Kept(); !kept || why != "" || len(*told) != 2 || (*told)[1] != nil {
		t.Errorf("%v, %q, %v", kept, why, *told)
	}
	back, _ := again(t, e, c, dir)
	sameAs(t, back, c)
}

type full struct{ persist.Sink }

func (f full) Open(name string) (persist.File, error) {
	file, err := f.Sink.Open(name)
	return fullFile{file}, err
}

type fullFile struct{ persist.File }

func (fullFile) WriteAt([]byte, int64) (int, error) { return 0, errors.New("the disk is full") }

// TestReadAgain is of a program that goes on from an image of its memory: more was taken after it.
func TestReadAgain(t *testing.T) {
	e, _ := open(t)
	dir := t.TempDir()
	c, _ := keeping(t, e, dir)
	put(t, e, at+"a", "1")
	must[Checkpoint](t)(c.Take("first", false))
	c.save()
	later, _ := again(t, e, c, dir)
	put(t, e, at+"a", "2")
	must[Checkpoint](t)(later.Take("second", false))
	later.save()
	c.kept.sink = later.kept.sink
	c.ReadAgain()
	sameAs(t, c, later)
	put(t, e, at+"a", "3")
	must[Checkpoint](t)(c.Take("third", false))
	c.save()
	back, _ := again(t, e, later, dir)
	sameAs(t, back, c)
}

// TestManyRecords: a file of records without end that change nothing, each of which would have a list of all keys.
func TestManyRecords(t *testing.T) {
	file := []byte(magic)
	for id := range 10 * maxRecords {
		text := fmt.Sprintf(`{"id":%d}`, id+1)
		record := append(binary.AppendVarint(nil, int64(len(text))), text...)
		record = append(record, 0, 0) // nothing gone, nothing changed
		file = binary.LittleEndian.AppendUint32(file, uint32(len(record)))
		file = append(file, record...)
		file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(record, castagnoli))
	}
	all, err := usual.readRecords(file, func(*mvcc.KV) {})
	if len(all) != maxRecords || !errors.Is(err, errTorn) {
		t.Errorf("%d were read: %v", len(all), err)
	}
}

func FuzzReadRecords(f *testing.F) {
	f.Add([]byte(magic))
	f.Add([]byte(magic + "\x02\x00\x00\x00{}\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		// The checksum would keep a fuzzer out.
		_, _ = usual.readRecord(file, nil, func(*mvcc.KV) {})
		all, _ := usual.readRecords(file, func(*mvcc.KV) {})
		for _, p := range all {
			for _, kv := range p.kvs {
				if !usual.remembered(kv.Key) {
					t.Error(kv.Key)
				}
			}
		}
	})
}

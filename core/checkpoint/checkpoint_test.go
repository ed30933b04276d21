package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

func open(t *testing.T) (*mvcc.Engine, *Checkpoints) {
	t.Helper()
	e, err := mvcc.Open(mvcc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, New(e, "/registry", func(context.Context) error { return nil })
}

func put(t *testing.T, e *mvcc.Engine, key, value string) {
	t.Helper()
	if _, err := e.Update(func(tx *mvcc.Tx) error {
		_, err := tx.Put(key, []byte(value), 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, e *mvcc.Engine, key string) {
	t.Helper()
	if _, err := e.Update(func(tx *mvcc.Tx) error {
		_, err := tx.Delete(key)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// thing is a custom resource, which is stored as JSON.
func thing(name, uid, spec, status, more string) string {
	return fmt.Sprintf(`{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"name":%q,"namespace":"a","uid":%q%s},"spec":%q,"status":%q}`, name, uid, more, spec, status)
}

func contents(t *testing.T, e *mvcc.Engine) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, kv := range must[mvcc.State](t)(e.State()).KVs {
		out[kv.Key] = kv.Value
	}
	return out
}

const at = "/registry/example.org/things/a/"

func TestGoingBack(t *testing.T) {
	e, c := open(t)
	put(t, e, at+"gone", thing("gone", "1", "x", "", ""))
	put(t, e, at+"scaled", thing("scaled", "2", "two", "", ""))
	put(t, e, at+"running", thing("running", "3", "x", "Pending", `,"generation":1`))
	put(t, e, at+"ending", thing("ending", "4", "x", "", ""))
	put(t, e, at+"same", thing("same", "5", "x", "", ""))
	put(t, e, at+"another", thing("another", "6", "x", "", ""))
	put(t, e, "/registry/leases/a/l", "then")
	put(t, e, "/registry/secrets/a/encrypted", "k8s:enc:then")
	p := must[Checkpoint](t)(c.Take("kubectl delete\x1b[31m\nnamespace a", false))
	if p.Why != "kubectl delete [31m namespace a" {
		t.Errorf("%q", p.Why)
	}

	remove(t, e, at+"gone")
	put(t, e, at+"scaled", thing("scaled", "2", "five", "", ""))
	put(t, e, at+"running", thing("running", "3", "x", "Running", `,"generation":1,"managedFields":[]`))
	put(t, e, at+"ending", thing("ending", "4", "x", "", `,"deletionTimestamp":"2026-11-24T00:00:00Z"`))
	put(t, e, at+"another", thing("another", "66", "x", "", ""))
	put(t, e, at+"new", thing("new", "7", "x", "", ""))
	put(t, e, "/registry/leases/a/l", "now")
	put(t, e, "/registry/secrets/a/encrypted", "k8s:enc:now")
	before := contents(t, e)

	d := must[*Difference](t)(c.Difference(p.ID))
	var got []string
	for _, o := range d.Objects {
		got = append(got, o.What+" "+o.Kind+" "+o.Name)
	}
	slices.Sort(got)
	if want := []string{"changes Thing another", "changes Thing scaled", "changes secrets encrypted", "comes back Thing ending", "comes back Thing gone", "goes Thing new"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if d.ComesBack != 2 || d.Changes != 3 || d.Goes != 1 {
		t.Errorf("%+v", d)
	}

	rev := e.Status().Revision
	must[*Difference](t)(c.Restore(t.Context(), p.ID))
	now := contents(t, e)
	for key, want := range map[string]string{
		at + "gone": thing("gone", "1", "x", "", ""), at + "scaled": thing("scaled", "2", "two", "", ""), at + "ending": thing("ending", "4", "x", "", ""),
		at + "running": before[at+"running"], "/registry/leases/a/l": "now", "/registry/secrets/a/encrypted": "k8s:enc:then", at + "new": "",
	} {
		if now[key] != want {
			t.Errorf("%s is %s, want %s", key, now[key], want)
		}
	}
	// Each is a change of its own, later than all before.
	records := must[[]mvcc.Record](t)(e.Records(rev+1, 0))
	if len(records) != 8 { // two of them deletions that make room
		t.Errorf("%d revisions", len(records))
	}
	for _, r := range records {
		if len(r.Changes) != 1 {
			t.Errorf("%+v", r)
		}
	}

	// Going back can be gone back on.
	all := c.List()
	last := all[len(all)-1]
	if len(all) != 2 || !strings.Contains(last.Why, p.Why) {
		t.Fatalf("%+v", all)
	}
	must[*Difference](t)(c.Restore(t.Context(), last.ID))
	if now := contents(t, e); now[at+"scaled"] != before[at+"scaled"] || now[at+"new"] != before[at+"new"] || now[at+"gone"] != "" {
		t.Errorf("%v", now)
	}
}

// TestWhatWasAboutToGo stays gone: nothing is put into a namespace that is not there.
func TestWhatWasAboutToGo(t *testing.T) {
	e, c := open(t)
	put(t, e, "/registry/namespaces/a", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","deletionTimestamp":"2026-11-24T00:00:00Z"}}`)
	put(t, e, at+"x", thing("x", "1", "x", "", ""))
	put(t, e, "/registry/secrets/a/encrypted", "k8s:enc:then")
	put(t, e, "/registry/secrets/b/encrypted", "k8s:enc:then")
	p := must[Checkpoint](t)(c.Take("", false))
	for _, key := range []string{"/registry/namespaces/a", at + "x", "/registry/secrets/a/encrypted", "/registry/secrets/b/encrypted"} {
		remove(t, e, key)
	}
	d := must[*Difference](t)(c.Restore(t.Context(), p.ID))
	if now := contents(t, e); d.ComesBack != 1 || len(now) != 1 || now["/registry/secrets/b/encrypted"] == "" {
		t.Errorf("%+v, %v", d, now)
	}
}

func TestNothingNewIsNoCheckpoint(t *testing.T) {
	e, c := open(t)
	put(t, e, at+"a", "1")
	first := must[Checkpoint](t)(c.Take("first", false))
	put(t, e, "/registry/events/a/e", "an event")
	put(t, e, "compact_rev_key", "7")
	if again := must[Checkpoint](t)(c.Take("second", false)); again.ID != first.ID {
		t.Errorf("%+v", again)
	}
	if asked := must[Checkpoint](t)(c.Take("asked for", true)); asked.ID == first.ID || !asked.Asked {
		t.Errorf("%+v", asked)
	}
	put(t, e, at+"a", "2")
	if next := must[Checkpoint](t)(c.Take("third", false)); next.Why != "third" {
		t.Errorf("%+v", next)
	}
}

// A long lesson, done twice and then another one, takes nothing from its reader, and each of its steps can begin again.
func TestStepsTakeNoRoomOfOthers(t *testing.T) {
	e, c := open(t)
	for i := range MaxCount {
		put(t, e, at+"a", fmt.Sprint(i))
		must[Checkpoint](t)(c.Take(fmt.Sprint("command ", i), i%2 == 0))
	}
	step := func(of string, i int) Checkpoint {
		put(t, e, at+"b", fmt.Sprint(of, i))
		return must[Checkpoint](t)(c.TakeStep(of, fmt.Sprint("step ", i)))
	}
	first := step("a lesson", 0)
	for range 2 {
		for i := range MaxSteps {
			step("a lesson", i)
		}
	}
	count := func() (commands int, steps map[string]int) {
		steps = map[string]int{}
		for _, p := range c.List() {
			if p.Of == "" {
				commands++
			} else {
				steps[p.Of]++
			}
		}
		return commands, steps
	}
	if commands, steps := count(); commands != MaxCount || steps["a lesson"] != MaxSteps {
		t.Errorf("%d commands, %v", commands, steps)
	}
	if _, err := c.Difference(first.ID); !errors.Is(err, ErrNone) {
		t.Errorf("a step that began again has two beginnings: %v", err)
	}
	for i := range 10 {
		step("another", i)
	}
	if commands, steps := count(); commands != MaxCount || steps["another"] != 10 || steps["a lesson"] != MaxSteps-10 {
		t.Errorf("%d commands, %v", commands, steps)
	}
	for i, p := range c.all[:len(c.all)-1] {
		if want := alone(p.kvs, c.all[i+1].kvs); p.Bytes != want {
			t.Errorf("%q holds %d bytes, not %d", p.Why, p.Bytes, want)
		}
	}
}

func TestCheckpointsAreBounded(t *testing.T) {
	e, c := open(t)
	value := strings.Repeat("x", 1<<20)
	for i := range 3 * MaxCount {
		put(t, e, at+"small", fmt.Sprint(i))
		if i%4 == 0 {
			put(t, e, at+"large", fmt.Sprint(i)+value)
		}
		must[Checkpoint](t)(c.Take(strings.Repeat("é", 1000), false))
		all, sum := c.List(), int64(0)
		for _, p := range all {
			sum += p.Bytes
			if len([]rune(p.Why)) > maxWhy {
				t.Fatal(p.Why)
			}
		}
		if len(all) > MaxCount || sum > MaxBytes+(2<<20) {
			t.Fatalf("%d, %d bytes", len(all), sum)
		}
	}
	if _, err := c.Restore(t.Context(), 1); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	if _, err := c.State(0); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	// Of what is not remembered nothing is held, not even room.
	for i := range 1000 {
		put(t, e, string(usual)+fmt.Sprint("events/default/web.", i), "started")
	}
	put(t, e, at+"small", "last")
	must[Checkpoint](t)(c.Take("", false))
	if last := c.all[len(c.all)-1]; cap(last.kvs) > 2*last.Objects {
		t.Errorf("room for %d keys, of which %d are objects", cap(last.kvs), last.Objects)
	}
	all := c.List()
	s := must[mvcc.State](t)(c.State(all[0].ID))
	if len(s.KVs) != all[0].Objects || s.Rev != all[0].Revision {
		t.Errorf("%+v", s)
	}
}

func TestAStoreThatDoesNotTakeIt(t *testing.T) {
	e, c := open(t)
	put(t, e, at+"a", "1")
	put(t, e, at+"b", "1")
	p := must[Checkpoint](t)(c.Take("", false))
	remove(t, e, at+"a")
	remove(t, e, at+"b")
	full := errors.New("the disk is full")
	writes := 0
	c.store = failing{e, func() error {
		if writes++; writes > 1 {
			return full
		}
		return nil
	}}
	if _, err := c.Restore(t.Context(), p.ID); !errors.Is(err, full) || !strings.Contains(err.Error(), "1 of 2 objects") {
		t.Error(err)
	}
}

type failing struct {
	*mvcc.Engine
	fails func() error
}

func (f failing) Update(fn func(*mvcc.Tx) error) (int64, error) {
	if err := f.fails(); err != nil {
		return 0, err
	}
	return f.Engine.Update(fn)
}

func TestMayWrite(t *testing.T) {
	for line, want := range map[string]bool{
		"": false, "get pods": false, "-n a get pods -w": false, "--namespace=a describe pod get": false, "delete ns shop": true,
		"-n get delete pod x": true, "apply -f x.yaml": true, "apply -f x.yaml --dry-run=client": false, "apply --dry-run=none -f x": true,
		"rollout status deploy/web": false, "rollout undo deploy/web": true, "auth can-i create pods": false, "auth reconcile -f x": true,
		"create --help": false, "config set-context --current --namespace=a": false, "run web --image=nginx": true, "exec web -- rm -r /": false,
		"run x --image=busybox -- df -h": true, "create job x --image=busybox -- tool --dry-run --help": true, "run x --image=busybox -h -- df": false,
		"something new": true, "set": true, "scale deploy web --replicas 3": true, "logs -f web": false,
	} {
		if got := MayWrite(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestLine(t *testing.T) {
	for args, want := range map[string]string{
		"create secret generic s --from-literal=password=hunter2 --from-literal user=jane -n a": "kubectl create secret generic s --from-literal=password=… --from-literal=user=… -n a",
		"--token abc delete ns shop": "kubectl --token=… delete ns shop",
		"delete ns --token=abc":      "kubectl delete ns --token=…",
		"run web --image=nginx --env=PASSWORD=hunter2 --env USER=jane -l a=b": "kubectl run web --image=nginx --env=PASSWORD=… --env=USER=… -l a=b",
		"set env deployment/web PASSWORD=hunter2 -e USER=jane OLD-":           "kubectl set env deployment/web PASSWORD=… -e=USER=… OLD-",
		"label pod env a=b": "kubectl label pod env a=b",
		"delete ns --token": "kubectl delete ns --token",
	} {
		if got := Line(strings.Fields(args)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestOwnersComeBackUnderNewUIDs is what upstream's garbage collector needs; everybody who refers to them does so under the new
// ones, and going back again finds nothing to do.
func TestOwnersComeBackUnderNewUIDs(t *testing.T) {
	const set, pod, template, claim = "11111111-aaaa-4aaa-8aaa-111111111111", "22222222-aaaa-4aaa-8aaa-222222222222", "33333333-aaaa-4aaa-8aaa-333333333333", "44444444-aaaa-4aaa-8aaa-444444444444"
	owner := func(uid string) string {
		return fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"example.org/v1","kind":"Thing","name":"x","uid":%q}]`, uid)
	}
	binary := func(uid string) string {
		return "k8s\x00\n\x24" + uid + "\x12\x28pvc-" + claim + "\x1a\x24" + uid
	}
	e, c := open(t)
	put(t, e, at+"set", thing("set", set, "x", "", ""))
	put(t, e, at+"pod", thing("pod", pod, "pvc-"+set, "", owner(set)))
	put(t, e, at+"stays", thing("stays", template, "x", "", owner(claim)))
	put(t, e, at+"claim", thing("claim", claim, "x", "", ""))
	put(t, e, at+"volume", binary(claim))
	put(t, e, "/registry/serviceaccounts/a/default", thing("default", "55555555-aaaa-4aaa-8aaa-555555555555", "x", "", ""))
	put(t, e, "/registry/secrets/a/token", thing("token", "6", "55555555-aaaa-4aaa-8aaa-555555555555", "", ""))
	p := must[Checkpoint](t)(c.Take("", false))
	for _, key := range []string{at + "set", at + "pod", at + "claim", "/registry/serviceaccounts/a/default"} {
		remove(t, e, key)
	}
	must[*Difference](t)(c.Restore(t.Context(), p.ID))

	now := contents(t, e)
	uid := func(name string) string {
		t.Helper()
		return string(usual.decode(&mvcc.KV{Key: at + name, Value: now[at+name]}).decoded.GetUID())
	}
	newSet, newClaim := uid("set"), uid("claim")
	for _, u := range []string{newSet, newClaim} {
		if len(u) != uidLength || u == set || u == claim {
			t.Errorf("an owner has the UID %s", u)
		}
	}
	for key, want := range map[string]string{
		at + "set": thing("set", newSet, "x", "", ""), at + "pod": thing("pod", pod, "pvc-"+set, "", owner(newSet)),
		at + "stays": thing("stays", template, "x", "", owner(newClaim)), at + "volume": strings.ReplaceAll(binary(newClaim), "pvc-"+newClaim, "pvc-"+claim),
		"/registry/serviceaccounts/a/default": thing("default", "55555555-aaaa-4aaa-8aaa-555555555555", "x", "", ""),
	} {
		if now[key] != want {
			t.Errorf("%s is %q, want %q", key, now[key], want)
		}
	}
	if d := must[*Difference](t)(c.Difference(p.ID)); d.ComesBack+d.Changes+d.Goes != 0 {
		t.Errorf("%+v", d)
	}
	for _, value := range []string{"-", "--------", "12345678-", "\"" + set[:35], "$" + set[:8], strings.Repeat("-", 100)} {
		if got := renew(value, map[string]string{set: claim}); got != value {
			t.Errorf("%q became %q", value, got)
		}
	}
}

// usual is where the API server keeps objects if nobody tells it otherwise.
const usual registry = "/registry/"

// TestAnotherPrefix: objects under another --etcd-prefix are remembered, and come back.
func TestAnotherPrefix(t *testing.T) {
	for prefix, under := range map[string]string{"/other/one": "/other/one/", "/": "/"} {
		e, _ := open(t)
		c := New(e, prefix, func(context.Context) error { return nil })
		put(t, e, under+"example.org/things/a/x", thing("x", "1", "", "", ""))
		put(t, e, under+"leases/a/l", "then")
		put(t, e, "compact_rev_key", "1")
		p, err := c.Take("before", true)
		if err != nil || p.Objects != 1 {
			t.Errorf("%s: %d objects, %v", prefix, p.Objects, err)
		}
		remove(t, e, under+"example.org/things/a/x")
		if _, err := c.Restore(t.Context(), p.ID); err != nil {
			t.Errorf("%s: %v", prefix, err)
		}
		if contents(t, e)[under+"example.org/things/a/x"] == "" {
			t.Errorf("%s: it did not come back", prefix)
		}
	}
}

package checkpoint

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// cipher encrypts as upstream's do: each time to something else.
type cipher struct {
	times int
	lost  bool // its key
}

func (c *cipher) seal(plain string) string {
	c.times++
	return fmt.Sprintf("%saescbc:v1:one:%d:%s", sealedPrefix, c.times, hex.EncodeToString([]byte(plain)))
}

func (c *cipher) unseal(_, value string) (string, func(string) (string, error), bool) {
	plain, err := hex.DecodeString(value[strings.LastIndex(value, ":")+1:])
	return string(plain), func(plain string) (string, error) { return c.seal(plain), nil }, err == nil && !c.lost
}

// TestEncryptedOwners: what is encrypted at rest comes back under new UIDs as everything does, encrypted; what has no UID of
// those comes back as it lay there, and what was only encrypted anew since is no change.
func TestEncryptedOwners(t *testing.T) {
	const set, secret = "11111111-aaaa-4aaa-8aaa-111111111111", "22222222-aaaa-4aaa-8aaa-222222222222"
	ownedBy := func(owner, uid string) string {
		return thing("owned", uid, "x", "", fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"example.org/v1","kind":"Thing","name":"set","uid":%q}]`, owner))
	}
	by := &cipher{}
	e, c := open(t)
	c.UnsealBy(func() Unseal { return by.unseal })
	alone, same, stays := by.seal(thing("alone", "3", "x", "", "")), thing("same", "4", "x", "", ""), ownedBy(set, "5")
	put(t, e, at+"set", by.seal(thing("set", set, "x", "", "")))
	put(t, e, at+"owned", by.seal(ownedBy(set, secret)))
	put(t, e, at+"stays", by.seal(stays))
	put(t, e, at+"alone", alone)
	put(t, e, at+"same", by.seal(same))
	put(t, e, at+"broken", sealedPrefix+"aescbc:v1:one:zz")
	p := must[Checkpoint](t)(c.Take("", false))
	for _, name := range []string{"set", "owned", "alone", "broken"} {
		remove(t, e, at+name)
	}
	again := by.seal(same)
	put(t, e, at+"same", again)
	must[*Difference](t)(c.Restore(t.Context(), p.ID))

	now := contents(t, e)
	plain := func(name string) string {
		t.Helper()
		if !strings.HasPrefix(now[at+name], sealedPrefix) {
			t.Errorf("%s lies there as %q", name, now[at+name])
		}
		text, _, _ := by.unseal("", now[at+name])
		return text
	}
	next := string(usual.decode(&mvcc.KV{Key: at + "set", Value: plain("set")}).decoded.GetUID())
	if len(next) != uidLength || next == set {
		t.Errorf("the owner has the UID %s", next)
	}
	if plain("owned") != ownedBy(next, secret) || plain("stays") != ownedBy(next, "5") {
		t.Errorf("they refer to another than %s: %s, %s", next, plain("owned"), plain("stays"))
	}
	if now[at+"alone"] != alone || now[at+"same"] != again || now[at+"broken"] == "" {
		t.Errorf("%q", now)
	}
	if d := must[*Difference](t)(c.Difference(p.ID)); d.ComesBack+d.Changes+d.Goes != 0 {
		t.Errorf("%+v", d)
	}

	// Without the key it is put back as it was then.
	by.lost = true
	q := must[Checkpoint](t)(c.Take("", true))
	was := now[at+"owned"]
	remove(t, e, at+"owned")
	must[*Difference](t)(c.Restore(t.Context(), q.ID))
	if got := contents(t, e)[at+"owned"]; got != was {
		t.Errorf("%q, and it was %q", got, was)
	}
}

package access

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"regexp"
	"strings"
	"testing"
)

// authority is the CA of some cluster, PEM.
func authority(t *testing.T) string {
	t.Helper()
	_, cert, err := testAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return string(cert)
}

func asker(t *testing.T, user string) *Asker {
	t.Helper()
	a, err := NewAsker(user)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Both sides come to one code, and whatever is not the same on both sides changes it.
func TestBothSidesSeeOneCode(t *testing.T) {
	a, e, ca := asker(t, "ada"), &exchanges{}, authority(t)
	offer, err := e.begin(*a.Request().Question, ca, "demo.tabernetes.internal")
	if err != nil {
		t.Fatal(err)
	}
	r, code, err := a.Take(offer)
	if err != nil {
		t.Fatal(err)
	}
	q, there, err := e.end(*r.Reveal)
	if err != nil || there != code || q.User != "ada" {
		t.Errorf("the owner is asked %s for %q (%v), the asker sees %s", there, q.User, err, code)
	}
	if !regexp.MustCompile(`^[A-Z2-7]{5}-[A-Z2-7]{5}$`).MatchString(code) {
		t.Errorf("code %q", code)
	}
	nonce := r.Reveal.Nonce
	for what, other := range map[string]string{
		"the user":        codeOf(Question{"bob", q.CSR, q.Commitment}, offer, nonce),
		"the key":         codeOf(Question{"ada", asker(t, "ada").question.CSR, q.Commitment}, offer, nonce),
		"the CA":          codeOf(q, Offer{offer.ID, authority(t), offer.ServerName, offer.Nonce}, nonce),
		"a second CA":     codeOf(q, Offer{offer.ID, ca + authority(t), offer.ServerName, offer.Nonce}, nonce),
		"the server name": codeOf(q, Offer{offer.ID, ca, "kubernetes.default.svc", offer.Nonce}, nonce),
		"its nonce":       codeOf(q, Offer{offer.ID, ca, offer.ServerName, newNonce()}, nonce),
		"their nonce":     codeOf(q, offer, newNonce()),
	} {
		if other == code {
			t.Errorf("another code of %s, and the code is the same", what)
		}
	}
	// Nothing moves from one part into the next.
	if codeOf(Question{"ab", "c", nil}, Offer{}, nil) == codeOf(Question{"a", "bc", nil}, Offer{}, nil) {
		t.Error("the parts run into each other")
	}
}

// Who is in between can neither change its mind after the cluster's nonce is known, nor use an
// exchange twice, nor begin them as fast as it likes.
func TestHostileExchanges(t *testing.T) {
	a, e := asker(t, "ada"), &exchanges{}
	q, ca := *a.Request().Question, authority(t)
	begin := func() Offer {
		o, err := e.begin(q, ca, "demo.tabernetes.internal")
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if _, _, err := e.end(Reveal{begin().ID, newNonce()}); err == nil || !strings.Contains(err.Error(), "somebody on the way") {
		t.Errorf("another nonce than was committed to: %v", err)
	}
	if _, _, err := e.end(Reveal{begin().ID, append(bytes.Clone(a.nonce), 0)}); err == nil {
		t.Error("a longer nonce than was committed to is taken")
	}
	o := begin()
	if _, _, err := e.end(Reveal{o.ID, a.nonce}); err != nil {
		t.Error(err)
	}
	if _, _, err := e.end(Reveal{o.ID, a.nonce}); err == nil {
		t.Error("an exchange was ended twice")
	}
	if _, _, err := e.end(Reveal{}); err == nil {
		t.Error("an exchange that never began was ended")
	}
	seen := map[string]bool{}
	for range beginsAtOnce - 3 {
		o := begin()
		if seen[string(o.Nonce)] || seen[o.ID] {
			t.Error("a nonce or id came twice")
		}
		seen[string(o.Nonce)], seen[o.ID] = true, true
	}
	if _, err := e.begin(q, ca, "demo.tabernetes.internal"); err == nil {
		t.Errorf("more than %d begin at once", beginsAtOnce)
	}
}

// What a hub could put in the place of the cluster's offer and answer, and what would be seen at once.
func TestHostileOffers(t *testing.T) {
	key, ca, err := testAuthority()
	if err != nil {
		t.Fatal(err)
	}
	const name = "demo.tabernetes.internal"
	good := Offer{"id", string(ca), name, newNonce()}
	for what, o := range map[string]Offer{
		"no CA":                   {"id", "", name, newNonce()},
		"a second CA":             {"id", string(ca) + authority(t), name, newNonce()},
		"a node's name":           {"id", string(ca), "node-7", newNonce()},
		"the API server's name":   {"id", string(ca), "kubernetes.default.svc", newNonce()},
		"a name that is a line":   {"id", string(ca), "x;id.tabernetes.internal", newNonce()},
		"a name with a dot":       {"id", string(ca), "a.b.tabernetes.internal", newNonce()},
		"no nonce":                {"id", string(ca), name, nil},
		"an older cluster's none": {},
	} {
		if _, _, err := asker(t, "ada").Take(o); err == nil {
			t.Errorf("an offer with %s is taken", what)
		}
	}
	a := asker(t, "ada")
	if _, _, err := a.Take(good); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Take(Offer{"other", string(ca), name, newNonce()}); err == nil {
		t.Error("a second offer is taken, after the first one's code was shown")
	}
	own := signed(t, key, ca, a.question.CSR)
	if _, _, err := a.Finish(Answer{own}); err != nil {
		t.Error(err)
	}
	elsewhere, otherCA, err := testAuthority()
	if err != nil {
		t.Fatal(err)
	}
	for what, cert := range map[string]string{
		"another CA's":   signed(t, elsewhere, otherCA, a.question.CSR),
		"another key's":  signed(t, key, ca, asker(t, "ada").question.CSR),
		"two of them":    own + own,
		"none":           "",
		"the CA's":       string(ca),
		"no certificate": strings.ReplaceAll(own, "CERTIFICATE", "PUBLIC KEY"),
	} {
		if _, _, err := a.Finish(Answer{cert}); err == nil {
			t.Errorf("the certificate is taken: %s", what)
		}
	}
	if block, _ := pem.Decode([]byte(own)); block == nil {
		t.Error("no certificate")
	} else if leaf, err := x509.ParseCertificate(block.Bytes); err != nil || leaf.Subject.CommonName != "ada" {
		t.Errorf("the certificate is for %q, %v", leaf.Subject.CommonName, err)
	}
}

package configuration_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	_ "unsafe" // for go:linkname

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	_ "k8s.io/kubernetes/pkg/serviceaccount" // has the variable below
)

// jumped is how far the wall clock by which ServiceAccounts' tokens are made and judged is ahead of the machine's.
var jumped atomic.Int64

// tokensNow is what upstream stubs out in its own tests.
//
//go:linkname tokensNow k8s.io/kubernetes/pkg/serviceaccount.now
var tokensNow func() time.Time

func init() { tokensNow = func() time.Time { return time.Now().Add(time.Duration(jumped.Load())) } }

// TestClockJumps: a wall clock that jumps ahead ends tokens that are good, and one that jumps back refuses those that were
// made meanwhile, each in upstream's words; as soon as it is right again the first ones are good again. What a jump
// makes of certificates and of issuers' tokens is in TestAuthentication, by their dates.
func TestClockJumps(t *testing.T) {
	configure(t, nil)
	t.Cleanup(func() { jumped.Store(0) })
	const good = "system:serviceaccount:default:default system:serviceaccounts,system:serviceaccounts:default,system:authenticated"
	// An answer that lets in is kept for ten seconds: each token is asked about once while it is good.
	hour := int64(time.Hour / time.Second)
	fresh := func() string { return requested(t, &authenticationv1.TokenRequestSpec{ExpirationSeconds: &hour}) }
	refused := func(token, why, said string) {
		t.Helper()
		got, a := who(t, bearer(token))
		if told := decided(t, a); got != http.StatusText(http.StatusUnauthorized) || !slices.Contains(told, "service account: refused, "+why) {
			t.Errorf("taken for %s: %q", got, told)
		}
		review, err := admin(t).AuthenticationV1().TokenReviews().Create(t.Context(), &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
		if err != nil || review.Status.Authenticated || review.Status.Error != "[invalid bearer token, "+said+"]" {
			t.Errorf("its review: %+v, %v", review.Status, err)
		}
	}
	accepted := func(token string) {
		t.Helper()
		if got, a := who(t, bearer(token)); got != good {
			t.Errorf("taken for %s: %s", got, a.body)
		}
	}
	accepted(fresh())
	before := fresh()
	jumped.Store(int64(2 * time.Hour))
	refused(before, "the token has expired", "service account token has expired")
	accepted(fresh())
	meanwhile := fresh()
	jumped.Store(0)
	refused(meanwhile, "the token is not valid yet", "service account token is not valid yet")
	accepted(before)
}

package apitrace

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// why is the class of an authenticator's error, in words of ours; empty if it is of none. The error itself is told to
// nobody: it may quote what was presented.
func why(err error) string {
	var (
		invalid   x509.CertificateInvalidError
		authority x509.UnknownAuthorityError
		network   net.Error
		status    apierrors.APIStatus
	)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "a certificate has expired, or is not valid yet"
	case errors.As(err, &invalid) && invalid.Reason == x509.IncompatibleUsage:
		return "a certificate is for another use"
	case errors.As(err, &authority):
		return "no authority that it trusts has signed the certificate"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "who has to be asked does not answer in time"
	case errors.As(err, &network):
		return "who has to be asked cannot be reached"
	case errors.As(err, &status):
		return "who has to be asked answers with an error"
	}
	text := err.Error()
	for _, c := range classes {
		if strings.Contains(text, c.says) {
			return c.reason
		}
	}
	return ""
}

// classes are what upstream's errors say, where no type tells them apart. A stranger who has their token quoted by one
// may choose among these words, and has none of their own.
var classes = []struct{ says, reason string }{
	// k8s.io/apiserver/pkg/authentication/request/bearertoken, websocket
	{"invalid bearer token", "nobody knows the token"},
	{"base64.bearer.authorization", "the subprotocol holds no token"},
	// Ours: core/apiserver/basicauth.go.
	{"invalid user name or password", "user name or password is wrong"},
	// k8s.io/apiserver/plugin/pkg/authenticator/token/oidc, with github.com/coreos/go-oidc
	{"authenticator not initialized", "the issuer's keys have not been read yet"},
	{"verifier not initialized", "the issuer's keys have not been read yet"},
	{"token is expired", "the token has expired"},
	{"expected audience ", "the token is for another audience"},
	{"before the nbf", "the token is not valid yet"},
	{"fetching keys", "the issuer's keys cannot be read"},
	{"failed to verify", "no key of the issuer's has signed the token"},
	{"claim validation", "the claims break a rule of the configuration"},
	{"user info validation", "the user breaks a rule of the configuration"},
	{"required claim", "a claim that the configuration requires is missing, or another"},
	{"username claim", "its claims come to no user name"},
	// k8s.io/kubernetes/pkg/serviceaccount
	{"token has expired", "the token has expired"},
	{"not valid yet", "the token is not valid yet"},
	{"issued in the future", "the token is issued in the future"},
	{"is invalid for the target audiences", "the token is for another audience"},
	{"token has been invalidated", "what the token is bound to is gone"},
	{"Token has been invalidated", "what the token is bound to is gone"},
	{"has been deleted", "what the token is bound to is gone"},
	{"does not match claim", "what the token is bound to is another by now"},
	{"ref claim", "what the token is bound to is another by now"},
	{"has been marked invalid", "nobody used the token for so long that it was marked invalid"},
	{"invalid signature", "no key of the cluster's has signed the token"},
	{"error in cryptographic primitive", "no key of the cluster's has signed the token"},
}

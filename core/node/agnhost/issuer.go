package agnhost

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-oidc"
	"github.com/spf13/pflag"
	clienttransport "k8s.io/client-go/transport"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
)

// serviceAccount is where the kubelet puts a pod's token, as rest.InClusterConfig knows.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/"

// issuerPatience bounds one request to an issuer, maxIssuerHead the headers of its answer in bytes.
const (
	issuerPatience = 30 * time.Second
	maxIssuerHead  = 64 << 10
)

// issuer verifies a token of the pod's against whoever issued it, by the documents that OpenID Connect has for that and a
// library that knows nothing of Kubernetes: upstream's command test-service-account-issuer-discovery. That one reads the files of
// its process and dials from there; this one has those of its pod.
func issuer(ctx context.Context, p *program.Process) int {
	flags := pflag.NewFlagSet(p.Args[0], pflag.ContinueOnError)
	flags.SetOutput(p.Stderr)
	tokenPath := flags.String("token-path", "", "Path to read service account token from.")
	audience := flags.String("audience", "", "Audience to check on received token.")
	say := log.New(p.Stderr, "", log.LstdFlags)
	if err := flags.Parse(p.Args[1:]); err != nil {
		say.Print(err)
		return 1
	}
	ctx, stop := image.UntilTold(ctx, p)
	defer stop()
	raw, err := read(p, *tokenPath)
	if err != nil {
		say.Print(err)
		return 1
	}
	say.Print("OK: Got token")
	say.Print("validating with in-cluster discovery")
	inside, err := inCluster(p)
	if err == nil {
		err = verify(ctx, say, inside, string(raw), *audience)
	}
	if err == nil {
		return 0
	}
	say.Print("failed to validate with in-cluster discovery: ", err)
	// An issuer outside is not shown the token.
	say.Print("falling back to validating with external discovery")
	if err := verify(ctx, say, transport(p, nil), string(raw), *audience); err != nil {
		say.Print(err)
		return 1
	}
	return 0
}

// verify asks the issuer that a token names for its keys, and checks the token by them.
func verify(ctx context.Context, say *log.Logger, by http.RoundTripper, raw, audience string) error {
	from, err := issuerOf(raw)
	if err != nil {
		return err
	}
	say.Printf("OK: got issuer %s", from)
	ctx = oidc.ClientContext(ctx, &http.Client{Transport: by, Timeout: issuerPatience})
	provider, err := oidc.NewProvider(ctx, from)
	if err != nil {
		return err
	}
	say.Printf("OK: Constructed OIDC provider for issuer %v", from)
	token, err := provider.Verifier(&oidc.Config{ClientID: audience, SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256}}).Verify(ctx, raw)
	if err != nil {
		return err
	}
	say.Print("OK: Validated signature on JWT")
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return err
	}
	say.Printf("OK: Got valid claims from token!\nFull, validated claims: \n%#v", claims)
	return nil
}

// issuerOf is the issuer that a token names, which nobody has verified.
func issuerOf(raw string) (string, error) {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return "", errors.New("the token is no JWT")
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", fmt.Errorf("the token is no JWT: %w", err)
	}
	var claims struct {
		Issuer string `json:"iss"`
	}
	if err := json.Unmarshal(text, &claims); err != nil {
		return "", fmt.Errorf("the token is no JWT: %w", err)
	}
	return claims.Issuer, nil
}

// transport asks over the pod's network; roots are the system's where they are nil.
func transport(p *program.Process, roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		DialContext: p.Net.Dial, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true, MaxResponseHeaderBytes: maxIssuerHead,
	}
}

// inCluster trusts the cluster's CA only, and says who the pod is.
func inCluster(p *program.Process) (http.RoundTripper, error) {
	token, err := read(p, serviceAccount+"token")
	if err != nil {
		return nil, fmt.Errorf("read the token of the pod's ServiceAccount: %w", err)
	}
	ca, err := read(p, serviceAccount+"ca.crt")
	if err != nil {
		return nil, fmt.Errorf("read the cluster's CA: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%sca.crt has no certificate", serviceAccount)
	}
	return clienttransport.NewBearerAuthRoundTripper(strings.TrimSpace(string(token)), transport(p, roots)), nil
}

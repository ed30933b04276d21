package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	certutil "k8s.io/client-go/util/cert"
	bootstraputil "k8s.io/cluster-bootstrap/token/util"
	bootstraptokenv1 "k8s.io/kubernetes/cmd/kubeadm/app/apis/bootstraptoken/v1"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/pubkeypin"
)

// DefaultTTL is how long a token is good for: kubeadm's 24 hours are for clusters that last.
const DefaultTTL = 2 * time.Hour

// Invitation is what a machine needs to join.
type Invitation struct {
	// Token is "id.secret"; whoever has it can make its machine a node until Expires.
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"`
	// CAHash is "sha256:" and the hash of the CA's public key, in hexadecimal.
	CAHash string `json:"caHash"`
}

// Line is the command that a machine's administrator runs. hub is the hub's URL as that machine
// sees it, certHash the pin of its certificate (empty: none is needed), cluster the cluster's name at
// the hub.
func (i Invitation) Line(hub, certHash, cluster string) string {
	at := word(strings.TrimSuffix(hub, "/"))
	if certHash != "" {
		at += " --hub-cert-hash " + word(certHash)
	}
	return fmt.Sprintf("sudo nodehost join %s --cluster %s --token %s --ca-cert-hash %s", at, word(cluster), i.Token, i.CAHash)
}

// plain is what no shell takes for anything but itself.
var plain = regexp.MustCompile(`^[A-Za-z0-9:/._-]+$`)

// word quotes what a hub chose for the shell of whoever runs the line, as root. What no name has, a
// control character, becomes one that is only seen: in a terminal it could end the paste.
func word(s string) string {
	visible := strings.Map(func(c rune) rune {
		if !unicode.IsGraphic(c) {
			return unicode.ReplacementChar
		}
		return c
	}, s)
	if plain.MatchString(visible) {
		return visible
	}
	return "'" + strings.ReplaceAll(visible, "'", `'\''`) + "'"
}

// Invite makes a token in the cluster that owner administers, good for ttl (0: DefaultTTL).
func Invite(ctx context.Context, owner *rest.Config, ttl time.Duration) (Invitation, error) {
	if ttl == 0 {
		ttl = DefaultTTL
	}
	if ttl < time.Second {
		return Invitation{}, fmt.Errorf("make a token: it cannot be good for %s", ttl)
	}
	hash, err := caHash(owner.CAData)
	if err != nil {
		return Invitation{}, fmt.Errorf("make a token: %w", err)
	}
	client, err := kubernetes.NewForConfig(owner)
	if err != nil {
		return Invitation{}, fmt.Errorf("make a token: %w", err)
	}
	if err := Prepare(ctx, client, owner.CAData); err != nil {
		return Invitation{}, err
	}
	text, err := bootstraputil.GenerateBootstrapToken()
	if err != nil {
		return Invitation{}, fmt.Errorf("make a token: %w", err)
	}
	token, err := newToken(text, ttl)
	if err != nil {
		return Invitation{}, err
	}
	secret := bootstraptokenv1.BootstrapTokenToSecret(token)
	if _, err := client.CoreV1().Secrets(secret.Namespace).Create(ctx, secret, metav1.CreateOptions{}); err != nil {
		return Invitation{}, fmt.Errorf("make a token: %w", err)
	}
	return Invitation{Token: text, Expires: token.Expires.Time, CAHash: hash}, nil
}

// newToken is a token with kubeadm's usages and group.
func newToken(text string, ttl time.Duration) (*bootstraptokenv1.BootstrapToken, error) {
	parsed, err := bootstraptokenv1.NewBootstrapTokenString(text)
	if err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	token := &bootstraptokenv1.BootstrapToken{Token: parsed, Description: "for a machine that joins"}
	bootstraptokenv1.SetDefaults_BootstrapToken(token)
	token.TTL, token.Expires = nil, &metav1.Time{Time: time.Now().Add(ttl).Truncate(time.Second)}
	return token, nil
}

// Withdraw takes a token back, by its whole text or its id. Nodes that joined with it stay.
func Withdraw(ctx context.Context, owner *rest.Config, token string) error {
	client, err := kubernetes.NewForConfig(owner)
	if err != nil {
		return fmt.Errorf("withdraw a token: %w", err)
	}
	id, _, _ := strings.Cut(token, ".")
	err = client.CoreV1().Secrets(metav1.NamespaceSystem).Delete(ctx, bootstraputil.BootstrapTokenSecretName(id), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("withdraw a token: there is none with the id %q", id)
	}
	if err != nil {
		return fmt.Errorf("withdraw a token: %w", err)
	}
	return nil
}

func caHash(ca []byte) (string, error) {
	certs, err := certutil.ParseCertsPEM(ca)
	if err != nil {
		return "", errors.Join(errors.New("the client configuration has no certificate of the cluster's CA"), err)
	}
	return pubkeypin.Hash(certs[0]), nil
}

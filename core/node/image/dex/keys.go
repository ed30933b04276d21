package dex

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"gopkg.in/go-jose/go-jose.v2"

	"github.com/tabernetes/tabernetes/core/shell/openssl"
)

// maxToken is how long a token may be that is looked at, in bytes.
const maxToken = 16 << 10

// key is what tokens are signed with.
type key struct {
	signer jose.Signer
	public jose.JSONWebKey
}

// newKey makes one. RS256 is what every client takes without being told; Go takes long to make it in a tab, so a browser
// makes it beside whatever else runs (openssl.GenerateRSA).
func newKey(ctx context.Context, algorithm string) (*key, error) {
	if algorithm == "" {
		algorithm = string(jose.RS256)
	}
	var private crypto.Signer
	var err error
	if algorithm == string(jose.ES256) {
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	} else {
		private, err = openssl.GenerateRSA(ctx, 2048)
	}
	if err != nil {
		return nil, fmt.Errorf("generate key: %w", err)
	}
	id := make([]byte, 20)
	_, _ = rand.Read(id) // it never fails
	k := &key{public: jose.JSONWebKey{Key: private.Public(), KeyID: hex.EncodeToString(id), Algorithm: algorithm, Use: "sig"}}
	signing := jose.SigningKey{Algorithm: jose.SignatureAlgorithm(algorithm), Key: jose.JSONWebKey{Key: private, KeyID: k.public.KeyID}}
	if k.signer, err = jose.NewSigner(signing, nil); err != nil {
		return nil, fmt.Errorf("new signer: %w", err)
	}
	return k, nil
}

// sign is claims as a token.
func (k *key) sign(claims any) (string, error) {
	data, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("serialize claims: %w", err)
	}
	signed, err := k.signer.Sign(data)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return signed.CompactSerialize()
}

// verify is what a token of ours says.
func (k *key) verify(token string) ([]byte, error) {
	if len(token) > maxToken {
		return nil, errors.New("the token is too long")
	}
	signed, err := jose.ParseSigned(token)
	if err != nil {
		return nil, err
	}
	if len(signed.Signatures) != 1 || signed.Signatures[0].Header.Algorithm != k.public.Algorithm {
		return nil, errors.New("the token is not signed as ours are")
	}
	return signed.Verify(k.public.Key)
}

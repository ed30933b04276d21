package podinfo

import (
	"net/http"
	"strings"
	"time"

	"gopkg.in/go-jose/go-jose.v2"
	"gopkg.in/go-jose/go-jose.v2/jwt"
)

const (
	tokenIssuer = "podinfo"
	tokenLives  = time.Minute
)

// holder is whose token it is.
type holder struct {
	Name string `json:"name"`
}

// token makes one for whoever's name is sent.
func (s *server) token(w http.ResponseWriter, r *http.Request) {
	name, ok := body(w, r)
	if !ok {
		return
	}
	if len(name) == 0 {
		name = []byte("anonymous")
	}
	until := time.Now().Add(tokenLives)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(s.secret)}, (&jose.SignerOptions{}).WithType("JWT"))
	var text string
	if err == nil {
		text, err = jwt.Signed(signer).Claims(holder{string(name)}).Claims(jwt.Claims{Issuer: tokenIssuer, Expiry: jwt.NewNumericDate(until)}).CompactSerialize()
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	say(w, http.StatusOK, struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}{text, until})
}

// validate tells whose token it is that is sent, if it is one of its own.
func (s *server) validate(w http.ResponseWriter, r *http.Request) {
	kind, text, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(kind, "bearer") {
		refuse(w, http.StatusUnauthorized, "authorization bearer header required")
		return
	}
	var who holder
	var claims jwt.Claims
	token, err := jwt.ParseSigned(text)
	if err == nil {
		err = token.Claims([]byte(s.secret), &who, &claims)
	}
	if err == nil {
		err = claims.ValidateWithLeeway(jwt.Expected{Issuer: tokenIssuer, Time: time.Now()}, 0)
	}
	if err != nil {
		refuse(w, http.StatusUnauthorized, err.Error())
		return
	}
	say(w, http.StatusOK, struct {
		TokenName string    `json:"token_name"`
		ExpiresAt time.Time `json:"expires_at"`
	}{who.Name, claims.Expiry.Time()})
}

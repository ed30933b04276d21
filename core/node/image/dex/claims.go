package dex

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The scopes that mean something; peerScope begins one that names another client as the audience.
const (
	scopeOpenID    = "openid"
	scopeEmail     = "email"
	scopeProfile   = "profile"
	scopeGroups    = "groups"
	scopeOffline   = "offline_access"
	scopeFederated = "federated:id"
	peerScope      = "audience:server:client_id:"
)

var scopes = []string{scopeOpenID, scopeEmail, scopeGroups, scopeProfile, scopeOffline}

// claims are those of dex's tokens (server/tokens/claims.go), in its order.
type claims struct {
	Issuer            string     `json:"iss"`
	Subject           string     `json:"sub"`
	Audience          audience   `json:"aud"`
	Expiry            int64      `json:"exp"`
	IssuedAt          int64      `json:"iat"`
	AuthorizedParty   string     `json:"azp,omitempty"`
	Nonce             string     `json:"nonce,omitempty"`
	AccessTokenHash   string     `json:"at_hash,omitempty"`
	CodeHash          string     `json:"c_hash,omitempty"`
	Email             string     `json:"email,omitempty"`
	EmailVerified     *bool      `json:"email_verified,omitempty"`
	Groups            []string   `json:"groups,omitempty"`
	Name              string     `json:"name,omitempty"`
	PreferredUsername string     `json:"preferred_username,omitempty"`
	Federated         *federated `json:"federated_claims,omitempty"`
}

type federated struct {
	ConnectorID string `json:"connector_id,omitempty"`
	UserID      string `json:"user_id,omitempty"`
}

// audience is written as a text if it is one.
type audience []string

// MarshalJSON implements json.Marshaler.
func (a audience) MarshalJSON() ([]byte, error) {
	if len(a) == 1 {
		return json.Marshal(a[0])
	}
	return json.Marshal([]string(a))
}

// permit is what somebody has allowed a client.
type permit struct {
	client *client
	who    *person
	scopes []string
	nonce  string
}

// tokens is the answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"`
	Refresh string `json:"refresh_token,omitempty"`
	ID      string `json:"id_token,omitempty"`
}

// issue makes the tokens of a permit; code is what they were got for, "" without.
func (s *server) issue(from permit, code string) (*tokens, error) {
	// dex's access token is an ID token, too, each with another hash.
	access, err := s.key.sign(s.claims(from, secretName(), ""))
	if err != nil {
		return nil, err
	}
	id, err := s.key.sign(s.claims(from, access, code))
	if err != nil {
		return nil, err
	}
	return &tokens{Access: access, Type: "bearer", Expires: int(s.config.idTokens.Seconds()), ID: id}, nil
}

func (s *server) claims(from permit, access, code string) claims {
	now := time.Now()
	c := claims{
		Issuer: s.config.Issuer, Subject: subject(from.who.UserID), Nonce: from.nonce,
		IssuedAt: now.Unix(), Expiry: now.Add(s.config.idTokens).Unix(), AccessTokenHash: half(access),
	}
	if code != "" {
		c.CodeHash = half(code)
	}
	for _, scope := range from.scopes {
		switch scope {
		case scopeEmail:
			verified := from.who.verified()
			c.Email, c.EmailVerified = from.who.Email, &verified
		case scopeGroups:
			c.Groups = from.who.Groups
		case scopeProfile:
			c.Name, c.PreferredUsername = from.who.name(), from.who.PreferredUsername
		case scopeFederated:
			c.Federated = &federated{local, from.who.UserID}
		default:
			if peer, ok := strings.CutPrefix(scope, peerScope); ok && !slices.Contains(c.Audience, peer) {
				c.Audience = append(c.Audience, peer)
			}
		}
	}
	if !slices.Contains(c.Audience, from.client.ID) {
		c.Audience = append(c.Audience, from.client.ID)
	}
	if len(c.Audience) > 1 {
		c.AuthorizedParty = from.client.ID
	}
	return c
}

// half is the left half of a text's hash, by which a token is bound to another (at_hash, c_hash).
func half(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}

// subject is dex's: the user and the connector, as a message of protocol buffers.
func subject(user string) string { return message(user, local) }

// message and texts are two texts as a message with the fields 1 and 2.
func message(first, second string) string {
	var data []byte
	for i, text := range []string{first, second} {
		if text != "" {
			data = protowire.AppendTag(data, protowire.Number(i+1), protowire.BytesType)
			data = protowire.AppendString(data, text)
		}
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func texts(text string) (first, second string, ok bool) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", "", false
	}
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 || kind != protowire.BytesType {
			return "", "", false
		}
		value, m := protowire.ConsumeString(data[n:])
		if m < 0 {
			return "", "", false
		}
		switch field {
		case 1:
			first = value
		case 2:
			second = value
		default:
			return "", "", false
		}
		data = data[n+m:]
	}
	return first, second, true
}

// faulty is the first scope that the client may not ask for, and why.
func (s *server) faulty(asking *client, wanted []string) (why string) {
	var unknown, refused []string
	for _, scope := range wanted {
		peer, ok := strings.CutPrefix(scope, peerScope)
		switch {
		case slices.Contains(scopes, scope) || scope == scopeFederated:
		case !ok:
			unknown = append(unknown, scope)
		case peer != asking.ID && (s.clients[peer] == nil || !slices.Contains(s.clients[peer].TrustedPeers, asking.ID)):
			refused = append(refused, scope)
		}
	}
	switch {
	case !slices.Contains(wanted, scopeOpenID):
		return `Missing required scope(s) ["openid"].`
	case len(unknown) > 0:
		return "Unrecognized scope(s) " + quoted(unknown)
	case len(refused) > 0:
		return "Client can't request scope(s) " + quoted(refused)
	}
	return ""
}

package dex

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxConfig is how large a configuration file may be, in bytes.
const maxConfig = 256 << 10

// config is dex's configuration file (cmd/dex/config.go), as far as it is obeyed or answered here. Other keys are not
// looked at, as dex does not.
type config struct {
	Issuer  string `json:"issuer"`
	Storage struct {
		Type string `json:"type"`
	} `json:"storage"`
	Web struct {
		HTTP           string          `json:"http"`
		HTTPS          string          `json:"https"`
		TLSCert        string          `json:"tlsCert"`
		TLSKey         string          `json:"tlsKey"`
		TLSMinVersion  string          `json:"tlsMinVersion"`
		TLSMaxVersion  string          `json:"tlsMaxVersion"`
		Headers        json.RawMessage `json:"headers"`
		AllowedOrigins []string        `json:"allowedOrigins"`
	} `json:"web"`
	Telemetry struct {
		HTTP string `json:"http"`
	} `json:"telemetry"`
	GRPC struct {
		Addr string `json:"addr"`
	} `json:"grpc"`
	Frontend struct {
		Issuer string `json:"issuer"`
	} `json:"frontend"`
	Logger struct {
		Level  slog.Level `json:"level"`
		Format string     `json:"format"`
	} `json:"logger"`
	Signer struct {
		Type   string `json:"type"`
		Config struct {
			Algorithm string `json:"algorithm"`
		} `json:"config"`
	} `json:"signer"`
	Expiry struct {
		IDTokens       string `json:"idTokens"`
		AuthRequests   string `json:"authRequests"`
		DeviceRequests string `json:"deviceRequests"`
		RefreshTokens  struct {
			DisableRotation   bool   `json:"disableRotation"`
			ReuseInterval     string `json:"reuseInterval"`
			AbsoluteLifetime  string `json:"absoluteLifetime"`
			ValidIfNotUsedFor string `json:"validIfNotUsedFor"`
		} `json:"refreshTokens"`
	} `json:"expiry"`
	OAuth2 struct {
		GrantTypes         []string `json:"grantTypes"`
		ResponseTypes      []string `json:"responseTypes"`
		SkipApprovalScreen bool     `json:"skipApprovalScreen"`
		PasswordConnector  string   `json:"passwordConnector"`
		PKCE               struct {
			Enforce bool     `json:"enforce"`
			Methods []string `json:"codeChallengeMethodsSupported"`
		} `json:"pkce"`
	} `json:"oauth2"`
	Connectors []struct {
		Type string `json:"type"`
	} `json:"connectors"`
	StaticClients    []*client       `json:"staticClients"`
	EnablePasswordDB bool            `json:"enablePasswordDB"`
	StaticPasswords  []*person       `json:"staticPasswords"`
	Sessions         json.RawMessage `json:"sessions"`
	MFA              json.RawMessage `json:"mfa"`

	// What the texts above stand for.
	issuer                                 *url.URL
	idTokens, authRequests, devices        time.Duration
	refreshReuse, refreshLife, refreshIdle time.Duration
}

// What dex knows and the tab has not.
var (
	elsewhereStorages   = []string{"etcd", "kubernetes", "sqlite3", "postgres", "mysql"}
	elsewhereConnectors = []string{"keystone", "mockCallback", "mockPassword", "ldap", "gitea", "github", "gitlab", "google", "oidc", "oauth",
		"saml", "authproxy", "linkedin", "microsoft", "bitbucket-cloud", "openshift", "atlassian-crowd"}
	responseTypes = []string{"code", "token", "id_token", "code token", "code id_token", "id_token token", "code id_token token"}
)

// load reads the configuration, changed by what flags say, and checks it.
func load(p *program.Process, name string, flags func(*config)) (*config, error) {
	f, err := p.Open(name)
	if err != nil {
		return nil, fmt.Errorf("failed to read config file %s: %w", name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("failed to read config file %s: %w", name, err)
	}
	if len(text) > maxConfig {
		return nil, fmt.Errorf("failed to read config file %s: it is larger than %d bytes", name, maxConfig)
	}
	return parse(p, name, text, flags)
}

func parse(p *program.Process, name string, text []byte, flags func(*config)) (*config, error) {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		if strings.Contains(string(text), "{{") {
			err = fmt.Errorf("%w (templates, which the image fills in by gomplate, are not here: write the values themselves)", err)
		}
		return nil, fmt.Errorf("error parse config file %s: %w", name, err)
	}
	c := &config{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("error unmarshalling config file %s: %w", name, err)
	}
	flags(c)
	if err := c.whole(); err != nil {
		return nil, err
	}
	if err := c.known(); err != nil {
		return nil, fmt.Errorf("invalid config: %w", err)
	}
	if err := c.durations(); err != nil {
		return nil, err
	}
	for i, one := range c.StaticClients {
		if one == nil {
			return nil, fmt.Errorf("invalid config: staticClients[%d] is empty", i)
		}
		if err := one.check(p); err != nil {
			return nil, fmt.Errorf("invalid config: %w", err)
		}
	}
	for i, one := range c.StaticPasswords {
		if one == nil {
			return nil, fmt.Errorf("invalid config: staticPasswords[%d] is empty", i)
		}
		if err := one.check(p); err != nil {
			return nil, fmt.Errorf("invalid config: staticPasswords: %w", err)
		}
	}
	return c, nil
}

// whole says what is missing, all at once and in dex's words.
func (c *config) whole() error {
	var missing []string
	versions := []string{"", "1.2", "1.3"}
	for _, check := range []struct {
		bad  bool
		text string
	}{
		{c.Issuer == "", "no issuer specified in config file"},
		{!c.EnablePasswordDB && len(c.StaticPasswords) != 0, "cannot specify static passwords without enabling password db"},
		{c.Storage.Type == "", "no storage supplied in config file"},
		{c.Web.HTTP == "" && c.Web.HTTPS == "", "must supply a HTTP/HTTPS  address to listen on"},
		{c.Web.HTTPS != "" && c.Web.TLSCert == "", "no cert specified for HTTPS"},
		{c.Web.HTTPS != "" && c.Web.TLSKey == "", "no private key specified for HTTPS"},
		{!slices.Contains(versions, c.Web.TLSMinVersion) || !slices.Contains(versions, c.Web.TLSMaxVersion), "supported TLS versions are: 1.2, 1.3"},
		{c.Web.TLSMaxVersion != "" && c.Web.TLSMinVersion > c.Web.TLSMaxVersion, "TLSMinVersion greater than TLSMaxVersion"},
	} {
		if check.bad {
			missing = append(missing, check.text)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("invalid Config:\n\t-\t%s", strings.Join(missing, "\n\t-\t"))
	}
	return nil
}

// known refuses names that dex does not know, and those whose absence nobody could do without.
func (c *config) known() error {
	at, err := url.Parse(c.Issuer)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return fmt.Errorf("issuer is %q: it has to be an address such as https://dex.default.svc/dex, without a query", c.Issuer)
	}
	c.issuer = at
	if c.Storage.Type != "memory" && !slices.Contains(elsewhereStorages, c.Storage.Type) {
		return fmt.Errorf("unknown storage type %q", c.Storage.Type)
	}
	for _, one := range c.Connectors {
		if !slices.Contains(elsewhereConnectors, one.Type) {
			return fmt.Errorf("unknown connector type %q", one.Type)
		}
		return fmt.Errorf("connector type %q is not here: in the tab there are the local passwords only (enablePasswordDB and staticPasswords)", one.Type)
	}
	if !c.EnablePasswordDB {
		return errors.New("no connectors specified: enablePasswordDB has to be true, as there are the local passwords only")
	}
	if by := c.OAuth2.PasswordConnector; by != "" && by != local {
		return fmt.Errorf("oauth2.passwordConnector is %q: here it can be %q only", by, local)
	}
	for _, kind := range c.OAuth2.ResponseTypes {
		if !slices.Contains(responseTypes, kind) {
			return fmt.Errorf("unsupported response_type %q", kind)
		}
	}
	if kinds := c.OAuth2.ResponseTypes; len(kinds) > 0 && !slices.Contains(kinds, "code") {
		return fmt.Errorf("oauth2.responseTypes is %q: here there is \"code\" only", kinds)
	}
	if len(c.OAuth2.PKCE.Methods) == 0 {
		c.OAuth2.PKCE.Methods = []string{methodS256, methodPlain}
	}
	for _, method := range c.OAuth2.PKCE.Methods {
		if method != methodS256 && method != methodPlain {
			return fmt.Errorf("unsupported PKCE challenge method %q", method)
		}
	}
	if c.Signer.Type != "" && c.Signer.Type != "local" {
		return fmt.Errorf("signer type %q is not here: leave it out, or say local", c.Signer.Type)
	}
	if alg := c.Signer.Config.Algorithm; alg != "" && alg != "RS256" && alg != "ES256" {
		return fmt.Errorf("invalid config value %q for local signer algorithm: RS256 and ES256 are supported", alg)
	}
	if format := strings.ToLower(c.Logger.Format); format != "" && format != "text" && format != "json" {
		return fmt.Errorf("log format is not one of the supported values (json, text): %s", c.Logger.Format)
	}
	return nil
}

func (c *config) durations() error {
	for _, one := range []struct {
		text, what string
		into       *time.Duration
		otherwise  time.Duration
	}{
		{c.Expiry.IDTokens, "id token expiry", &c.idTokens, 24 * time.Hour},
		{c.Expiry.AuthRequests, "auth request expiry", &c.authRequests, 24 * time.Hour},
		{c.Expiry.DeviceRequests, "device request expiry", &c.devices, 5 * time.Minute},
		{c.Expiry.RefreshTokens.ReuseInterval, "refresh tokens reuse interval", &c.refreshReuse, 0},
		{c.Expiry.RefreshTokens.AbsoluteLifetime, "refresh tokens absolute lifetime", &c.refreshLife, 0},
		{c.Expiry.RefreshTokens.ValidIfNotUsedFor, "refresh token valid if not used for", &c.refreshIdle, 0},
	} {
		*one.into = one.otherwise
		if one.text == "" {
			continue
		}
		took, err := time.ParseDuration(one.text)
		if err == nil && (took < 0 || took == 0 && one.otherwise != 0) {
			err = errors.New("it has to be more than nothing")
		}
		if err != nil {
			return fmt.Errorf("invalid config value %q for %s: %w", one.text, one.what, err)
		}
		*one.into = took
	}
	return nil
}

// absent says what is configured and has no effect.
func (c *config) absent() []string {
	var words []string
	for _, one := range []struct {
		set  bool
		text string
	}{
		{c.Storage.Type != "memory", "storage type " + c.Storage.Type + " is not here: what is issued is kept in memory, and is lost with the container"},
		{c.GRPC.Addr != "", "grpc has no effect: its API is not here"},
		{c.Telemetry.HTTP != "", "telemetry answers /healthz only: there are no metrics"},
		{len(c.Web.Headers) > 0 || len(c.Web.AllowedOrigins) > 0, "web.headers and web.allowedOrigins have no effect"},
		{len(c.Sessions) > 0 || len(c.MFA) > 0, "sessions and mfa have no effect: each login asks for the password"},
		{slices.ContainsFunc(c.OAuth2.ResponseTypes, func(kind string) bool { return kind != "code" }), "of oauth2.responseTypes there is code only"},
	} {
		if one.set {
			words = append(words, one.text)
		}
	}
	return words
}

// Example is the configuration of the image. Nobody has a password by it.
const Example = `# The real image fills this file in by gomplate; in a tab it is as it stands. Mount your own.
issuer: http://127.0.0.1:5556/dex
storage:
  type: memory
web:
  http: 0.0.0.0:5556
enablePasswordDB: true
`

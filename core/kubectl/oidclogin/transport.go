package oidclogin

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

const (
	// maxAnswer is how much is read of an issuer's answer, in bytes, maxHead of its headers.
	maxAnswer = 1 << 20
	maxHead   = 64 << 10
	// maxRedirects are followed, on the issuer's own host only: a login's secrets are for nobody else.
	maxRedirects = 5
)

// dialling asks over the process's own network.
func dialling(p *program.Process, o *options) http.RoundTripper {
	return &http.Transport{
		DialContext: p.Net.Dial, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHead,
		TLSClientConfig: &tls.Config{RootCAs: o.roots, MinVersion: tls.VersionTLS12},
	}
}

func stays(r *http.Request, via []*http.Request) error {
	switch first := via[0].URL; {
	case r.URL.Host != first.Host || r.URL.Scheme != first.Scheme:
		return fmt.Errorf("the issuer leads to %s, which is another host", r.URL.Host)
	case len(via) > maxRedirects:
		return errors.New("the issuer leads round and round")
	}
	return nil
}

// bounded is an answer that ends in an error where it is too long.
type bounded struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *bounded) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into[:min(len(into), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("the issuer's answer is longer than %d bytes", maxAnswer)
	}
	return n, err
}

// objects fails what is answered as good and is no object in JSON: x/oauth2 reads the fields of null.
type objects struct{ next http.RoundTripper }

// maxBlank is how much may stand before it, in bytes.
const maxBlank = 1 << 10

// RoundTrip implements http.RoundTripper.
func (o objects) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := o.next.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	body := bufio.NewReader(response.Body)
	for n := 1; n <= maxBlank; n++ {
		text, err := body.Peek(n)
		if err != nil || !strings.ContainsRune(" \t\r\n{", rune(text[n-1])) {
			break
		}
		if text[n-1] == '{' {
			response.Body = struct {
				io.Reader
				io.Closer
			}{body, response.Body}
			return response, nil
		}
	}
	_ = response.Body.Close() // nothing more of it is wanted
	return nil, errors.New("the issuer's answer is no object in JSON")
}

// hinted says what to do where nobody vouches for the issuer.
func hinted(err error) error {
	if strings.Contains(err.Error(), "x509: ") {
		return fmt.Errorf("%w\n\nName the authority of its certificate: --certificate-authority=FILE", err)
	}
	return err
}

package join

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
)

func TestAnotherClusterIsSaidOnce(t *testing.T) {
	var out bytes.Buffer
	s := &stranger{log: slog.New(slog.NewTextHandler(&out, nil))}
	// As a reflector of client-go's has it.
	wrong := fmt.Errorf("failed to list *v1.Node: %w", &url.Error{Op: "Get", URL: "https://127.0.0.1",
		Err: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}})
	said := func(want int) {
		t.Helper()
		if n := strings.Count(out.String(), "is another one"); n != want {
			t.Errorf("it was said %d times, want %d:\n%s", n, want, &out)
		}
	}
	s.failed(errors.New("EOF"))
	said(0)
	s.failed(wrong)
	s.failed(wrong)
	said(1)
	s.answered()
	s.answered()
	if n := strings.Count(out.String(), "right one again"); n != 1 {
		t.Errorf("its end was said %d times", n)
	}
	s.failed(wrong)
	said(2)
}

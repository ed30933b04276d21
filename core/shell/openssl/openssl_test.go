package openssl_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell/openssl"
)

// ours runs a line of arguments in a directory.
func ours(t *testing.T, dir, line, stdin string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = openssl.Main(t.Context(), &openssl.Run{
		Args: words(line), In: strings.NewReader(stdin), Out: &o, Err: &e, Now: time.Now(),
		Open: func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, name)) },
		Create: func(name string, private bool) (io.WriteCloser, error) {
			mode := os.FileMode(0o644)
			if private {
				mode = 0o600
			}
			return os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
		},
	})
	return o.String(), e.String(), code
}

// words are separated by spaces; a part between ' is one.
func words(line string) (all []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

const serverConfig = `# of kubernetes.io's page on certificates
name = svc
[ req ]
default_bits = 2048
prompt = no
default_md = sha256
req_extensions = req_ext
distinguished_name = dn

[ dn ]
C = DE
ST = Berlin
O = "An Organization"
1.OU = first
2.OU = second # and last
CN = 10.0.0.1

[ req_ext ]
subjectAltName = @alt_names

[ alt_names ]
DNS.1 = kubernetes
DNS.2 = kubernetes.default
DNS.3 = kubernetes.default.$name
IP.1 = 10.0.0.1
IP.2 = 2001:db8::1

[ v3_ext ]
authorityKeyIdentifier=keyid,issuer:always
basicConstraints=CA:FALSE
keyUsage=keyEncipherment,dataEncipherment
extendedKeyUsage=serverAuth,clientAuth
subjectAltName=@alt_names
`

// made are lines that make keys and certificates, as tutorials have them.
var made = []string{
	"genrsa -out ca.key 2048",
	"req -x509 -new -nodes -key ca.key -subj /CN=10.0.0.1 -days 10000 -out ca.crt",
	"genrsa -out server.key",
	"req -new -key server.key -out server.csr -config server.conf",
	"x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 10000 -extensions v3_ext -extfile server.conf -sha256",
	"ecparam -name prime256v1 -genkey -noout -out jane.key",
	`req -new -key jane.key -subj '/CN=jane/O=dev\/ops/O=x, y/emailAddress=jane@example.com' -out jane.csr`,
	"x509 -req -in jane.csr -CA ca.crt -CAkey ca.key -set_serial 0x1234 -days 5 -out jane.crt -extfile jane.conf",
	"req -x509 -nodes -days 365 -newkey rsa:2048 -keyout tls.key -out tls.crt -subj /CN=foo.example.com/O=foo -addext 'subjectAltName = DNS:foo.example.com,IP:1.2.3.4,URI:spiffe://a/b,email:a@b.c' -addext keyUsage=critical,digitalSignature,keyCertSign -addext extendedKeyUsage=codeSigning,1.2.3.4 -addext basicConstraints=critical,CA:true,pathlen:1 -addext nsComment=hello",
	"genpkey -algorithm ed25519 -out ed.key",
	"req -x509 -new -key ed.key -subj /CN=ed -days 3 -out ed.crt",
	"genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp384r1 -out p384.key",
	"req -new -key p384.key -sha384 -subj /C=DE/CN=x -out p384.csr",
}

// read are lines that read them.
var read = []string{
	"req -noout -text -in server.csr", "req -noout -text -in jane.csr", "req -in p384.csr -noout -text", "req -in server.csr -noout -subject -pubkey",
	"req -in server.csr -noout -verify", "req -in jane.csr",
	"x509 -noout -text -in ca.crt", "x509 -noout -text -in server.crt", "x509 -noout -text -in jane.crt", "x509 -noout -text -in tls.crt", "x509 -noout -text -in ed.crt",
	"x509 -in server.crt", "x509 -in server.crt -noout -subject -issuer -dates -serial", "x509 -in jane.crt -noout -subject -nameopt RFC2253", "x509 -in jane.crt -noout -serial", "x509 -noout -enddate -issuer -subject -in tls.crt -fingerprint -sha1",
	"x509 -in server.crt -noout -fingerprint", "x509 -in server.crt -noout -fingerprint -sha256", "x509 -in server.crt -noout -ext subjectAltName,keyUsage",
	"x509 -in server.crt -noout -enddate", "x509 -in server.crt -noout -checkend 100", "x509 -in server.crt -noout -pubkey", "x509 -in tls.crt -noout -modulus", "x509 -in ed.crt -noout -modulus",
	"x509 -in tls.crt -noout -email",
	"rsa -in ca.key -text -noout", "rsa -in ca.key -check -noout", "rsa -in ca.key -pubout", "rsa -in ca.key", "rsa -in ca.key -traditional", "ec -in jane.key -text -noout", "ec -in jane.key", "pkey -in jane.key",
	"pkey -in ed.key -text -noout", "pkey -in p384.key -pubout", "pkey -in ca.key -noout -text_pub", "pkey -in ed.key",
	"verify -CAfile ca.crt server.crt", "verify -CAfile ca.crt jane.crt", "verify -CAfile tls.crt tls.crt",
	"dgst -sha256 server.conf", "sha256 server.conf", "dgst -r server.conf", "dgst -sha512 server.conf", "md5 server.conf", "dgst -sha256 -hmac key server.conf", "sha1 -c server.conf",
	"base64 -in server.conf", "base64 -A -in server.conf", "enc -base64 -in server.conf", "base64 -d -in b64",
}

// TestLikeDebians: what we make is read by Debian's openssl as by ours, and what it makes, too.
func TestLikeDebians(t *testing.T) {
	program, err := exec.LookPath("openssl")
	if err != nil {
		t.Skipf("%v (scripts/setup installs it)", err)
	}
	theirs := func(dir, line string) (string, string, int) {
		var o, e bytes.Buffer
		c := exec.CommandContext(t.Context(), program, words(line)...)
		c.Dir, c.Stdout, c.Stderr = dir, &o, &e
		if err := c.Run(); c.ProcessState == nil {
			t.Fatal(err)
		}
		return o.String(), e.String(), c.ProcessState.ExitCode()
	}
	for name, maker := range map[string]func(dir, line string) (string, string, int){
		"made by ours":   func(dir, line string) (string, string, int) { return ours(t, dir, line, "") },
		"made by theirs": theirs,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range map[string]string{"server.conf": serverConfig, "jane.conf": "extendedKeyUsage = clientAuth\nbasicConstraints = critical, CA:false\n", "b64": "aGVsbG8K\n"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, line := range made {
				if out, errOut, code := maker(dir, line); code != 0 || out != "" {
					t.Fatalf("openssl %s: code %d\n%s%s", line, code, out, errOut)
				}
			}
			for _, line := range read {
				want, wantErr, wantCode := theirs(dir, line)
				got, errOut, code := ours(t, dir, line, "")
				if got != want || code != wantCode {
					t.Errorf("openssl %s: code %d, %s\n%s\nDebian's: code %d, %s\n%s", line, code, errOut, got, wantCode, wantErr, want)
				}
			}
			if wantErr, gotErr := second(theirs(dir, "verify -CAfile ca.crt ed.crt")), second(ours(t, dir, "verify -CAfile ca.crt ed.crt", "")); wantErr != gotErr {
				t.Errorf("verify says\n%s\nand Debian's\n%s", gotErr, wantErr)
			}
		})
	}
}

func second(_, errOut string, _ int) string { return errOut }

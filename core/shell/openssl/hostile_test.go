package openssl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefused: what cannot be is said in a sentence, with an exit code, and nothing is written.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"garbage": "garbage", "empty": "", "long": strings.Repeat("x", 2<<20),
		"pem":       "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		"encrypted": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
		"conf":      "[ req ]\nprompt = no\ndistinguished_name = nosuch\n", "open": "[ req\n", "loop": "a = $a\n", "quote": "a = 'x\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, errOut, code := ours(t, dir, "ecparam -name prime256v1 -genkey -noout -out k", ""); code != 0 {
		t.Fatal(errOut)
	}
	for _, c := range []struct{ line, says string }{
		{"nosuch", `there is no "nosuch" here`}, {"x509 -in nosuch", "no such file"}, {"x509 -in garbage", "could not read a certificate from garbage"},
		{"x509 -in empty", "could not read a certificate"}, {"x509 -in long", "longer than 1024 KiB"}, {"x509 -in pem", "there is no certificate in pem"},
		{"x509 -in k", "could not read a certificate"}, {"x509 -nosuch", `no option "-nosuch"`}, {"x509 -in", "-in needs a value"}, {"x509 garbage", "Options begin with a dash"},
		{"rsa -in k", `of the kind "ec"`}, {"pkey -in encrypted", "nowhere to type a passphrase"}, {"pkey -in garbage", "no private key in garbage"},
		{"genrsa -out new 100", "from 1024 to 4096"}, {"genrsa -aes256 -out new", "not encrypted here"}, {"genrsa -out new 99999999999999999999", "from 1024 to 4096"},
		{"req -new -newkey rsa:2048 -keyout new -subj /CN=x", "add -nodes"}, {"req -new -key k -subj CN=x -out new", "expected as /CN=jane"},
		{"req -new -key k -subj /XX=x -out new", `no part "XX"`}, {"req -new -key k -subj /C=Germany -out new", "two letters"}, {"req -new -key k -out new", "nobody answers"},
		{"req -new -key k -config conf -out new", "no section [ nosuch ]"}, {"req -new -key k -config open -out new", "line 1"}, {"req -new -key k -config loop -out new", "not set before"},
		{"req -new -key k -config quote -out new", "has no end"}, {"req -x509 -key k -subj /CN=x -days -1 -out new", "from 0 to"},
		{"req -x509 -key k -subj /CN=x -addext subjectAltName=IP:1 -out new", "no IP address"}, {"req -x509 -key k -subj /CN=x -addext keyUsage=all -out new", `no usage "all"`},
		{"rand -hex 0", "from 1 to"}, {"rand -hex 99999999", "from 1 to"}, {"enc -aes-256-cbc -in k", "nowhere to type a passphrase"}, {"base64 -d -in garbage -out new", "not base64"},
		{"verify -CAfile garbage pem", "there is no certificate in pem"},
	} {
		out, errOut, code := ours(t, dir, c.line, "")
		if code != 1 || out != "" || !strings.Contains(errOut, c.says) {
			t.Errorf("openssl %s: code %d, %q, %q; want %q", c.line, code, out, errOut, c.says)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a file was written by what was refused")
	}
}

// TestNamesTellTheTerminalNothing: a stranger's certificate is shown and not obeyed.
func TestNamesTellTheTerminalNothing(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{
		"ecparam -name prime256v1 -genkey -noout -out k",
		"req -x509 -key k -subj '/CN=a\x1b]0;title\a\nb/O=\x7f' -addext 'subjectAltName=DNS:\x1b[2J,email:\r@x' -addext 'nsComment=\x1b[31m' -out c",
	} {
		line = strings.NewReplacer(`\x1b`, "\x1b", `\a`, "\a", `\n`, "\n", `\r`, "\r", `\x7f`, "\x7f").Replace(line)
		if _, errOut, code := ours(t, dir, line, ""); code != 0 {
			t.Fatal(errOut)
		}
	}
	for _, form := range []string{"oneline", "RFC2253", "compat"} {
		out, _, code := ours(t, dir, "x509 -in c -noout -text -subject -email -nameopt "+form, "")
		if code != 0 || strings.ContainsAny(strings.ReplaceAll(out, "\n", ""), "\x1b\a\r\x7f") || strings.Contains(out, "\nb") {
			t.Errorf("code %d, %q", code, out)
		}
	}
}

// TestQuestions: a name is asked for where nobody gave one, with openssl's defaults.
func TestQuestions(t *testing.T) {
	dir := t.TempDir()
	if _, errOut, code := ours(t, dir, "ecparam -name prime256v1 -genkey -noout -out k", ""); code != 0 {
		t.Fatal(errOut)
	}
	out, errOut, code := ours(t, dir, "req -new -key k -subject -noout", "DE\n.\nBerlin\n\n\njane\n\n")
	if code != 0 || out != "subject=C = DE, L = Berlin, O = Internet Widgits Pty Ltd, CN = jane\n" || !strings.Contains(errOut, "Common Name (e.g. server FQDN or YOUR name) []:") {
		t.Errorf("code %d, %q, %q", code, out, errOut)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{serverConfig, "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "/CN=a\\/b+O=x", "a = ${b::c} \\\n$d"} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, "in"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "k")); err != nil {
			ours(t, dir, "ecparam -name prime256v1 -genkey -noout -out k", "")
		}
		for _, line := range []string{
			"x509 -in in -noout -text -subject -ext subjectAltName", "req -in in -noout -text -verify", "pkey -in in -noout -text -check", "verify -CAfile in in",
			"pkey -pubin -in in -noout -text", "base64 -d -in in", "req -x509 -key k -config in -batch -text -noout",
			"req -new -key k -noout -text -subj '" + strings.ReplaceAll(string(data), "'", "") + "'",
		} {
			out, _, _ := ours(t, dir, line, "")
			if strings.Contains(out, "\x1b") && !strings.HasPrefix(line, "base64") {
				t.Errorf("openssl %s: %q", line, out)
			}
		}
	})
}

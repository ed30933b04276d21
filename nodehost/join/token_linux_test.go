package join

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTokensFromFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(aToken+"\nmore\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o        Options
		stdin    string
		want, is string // the token, or what the error says
	}{
		"none":             {},
		"a token":          {Options{Token: aToken}, "", aToken, ""},
		"a file":           {Options{TokenFile: file}, "", aToken, ""},
		"standard input":   {Options{TokenFile: "-"}, " " + aToken + " ", aToken, ""},
		"both":             {Options{Token: aToken, TokenFile: file}, "", "", "one is enough"},
		"nothing to read":  {Options{TokenFile: "-"}, "", "", "no token in standard input"},
		"no file":          {Options{TokenFile: file + "x"}, "", "", "no such file"},
		"a file of zeroes": {Options{TokenFile: "/dev/zero"}, "", strings.Repeat("\x00", maxToken), ""},
	} {
		got, err := c.o.token(strings.NewReader(c.stdin))
		if got != c.want || (err == nil) != (c.is == "") || err != nil && !strings.Contains(err.Error(), c.is) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestArgumentsWithoutAToken(t *testing.T) {
	for _, c := range []struct {
		args, want string
		ok         bool
	}{
		{"nodehost join url --token T --cluster c", "nodehost join url --token-file=- --cluster c", true},
		{"nodehost join --token=T url", "nodehost join --token-file=- url", true},
		{"nodehost join --token=old --token T", "nodehost join --token=old --token-file=-", true},
		{"nodehost join --node-name --token url --token T", "nodehost join --node-name --token url --token-file=-", true},
		{"nodehost join --token T --node-labels a=T", "nodehost join --token-file=- --node-labels a=T", false}, // it would still be there
		{"nodehost join url", "nodehost join url", false},
	} {
		got, ok := WithoutToken(strings.Fields(c.args), "T")
		if !slices.Equal(got, strings.Fields(c.want)) || ok != c.ok {
			t.Errorf("%s: %q, %v", c.args, got, ok)
		}
	}
}

const hideVar = "TABERNETES_HIDE"

// A process that was given a token has none on its command line, and the same token on standard input.
func TestTheProcessListHasNoToken(t *testing.T) {
	if os.Getenv(hideVar) != "" {
		if slices.Contains(os.Args, aToken) {
			t.Fatal(HideToken(os.Args, aToken))
		}
		ShowName()
		line, _ := os.ReadFile("/proc/self/cmdline")
		name, _ := os.ReadFile("/proc/self/comm")
		token, err := (&Options{TokenFile: "-"}).token(os.Stdin)
		rest, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%q %q %q %q %v\n", line, name, token, rest, err)
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestTheProcessListHasNoToken$", "--", "join", "--token", aToken)
	cmd.Env = append(os.Environ(), hideVar+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	if strings.Count(first, aToken) != 1 || !strings.HasSuffix(first, fmt.Sprintf(`join\x00--token-file=-\x00" "nodehost\n" %q "" <nil>`, aToken)) {
		t.Errorf("it has %s", first)
	}
}

package kubectl_test

import "testing"

func TestWhatWasMeant(t *testing.T) {
	s := shellOnly(t, nil).Session("a")
	for line, want := range map[string]string{
		"kubeclt get po": "sh: kubeclt: not found. Did you mean kubectl?\n",
		"gerp x":         "sh: gerp: not found. Did you mean grep?\n",
		"qqqqq":          "sh: qqqqq: not found\n",
		"x":              "sh: x: not found\n",
	} {
		if _, errOut, code := typed(t, s, line); code != 127 || errOut != want {
			t.Errorf("%s: %d, %q", line, code, errOut)
		}
	}
}

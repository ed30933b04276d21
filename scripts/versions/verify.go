package main

import (
	"fmt"
	"slices"
	"strings"
)

// verify compares the selected version of every module that kubernetes' go.mod names.
func verify() error {
	ours, err := readGoMod("go.mod")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(ours.Require, func(m module) bool { return m.Path == kubernetes })
	if i < 0 {
		return fmt.Errorf("go.mod does not require %s", kubernetes)
	}
	version := ours.Require[i].Version
	theirs, err := upstream(version)
	if err != nil {
		return err
	}
	selected, err := selectedVersions()
	if err != nil {
		return err
	}
	drifted := compare(version, theirs, selected)
	if len(drifted) > 0 {
		return fmt.Errorf("%d modules are not at the version that %s %s names:\n%s\n"+
			"what to do: go get the named version; if another dependency asks for more, hold that one back",
			len(drifted), kubernetes, version, strings.Join(drifted, "\n"))
	}
	fmt.Printf("versions: the %d modules that %s %s names are at its versions\n", len(theirs.Require), kubernetes, version)
	return nil
}

// compare names each module of theirs whose selected version is another one. A module that is
// not selected is not used.
func compare(version string, theirs goMod, selected map[string]string) []string {
	want := map[string]string{}
	for _, r := range theirs.Require {
		want[r.Path] = r.Version
	}
	for _, path := range theirs.staging() {
		want[path] = stagingVersion(version)
	}
	var drifted []string
	for path, w := range want {
		if got, used := selected[path]; used && got != w {
			drifted = append(drifted, fmt.Sprintf("  %s: %s, upstream %s", path, got, w))
		}
	}
	slices.Sort(drifted)
	return drifted
}

// selectedVersions is what the build uses, replacements resolved.
func selectedVersions() (map[string]string, error) {
	out, err := goOutput("list", "-m", "-f", "{{.Path}} {{if .Replace}}{{.Replace.Version}}{{else}}{{.Version}}{{end}}", "all")
	if err != nil {
		return nil, err
	}
	selected := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		selected[path] = version
	}
	return selected, nil
}

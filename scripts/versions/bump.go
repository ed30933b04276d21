package main

import (
	"fmt"
	"strings"
)

// bump moves every line of go.mod that belongs to Kubernetes to the version, and every module
// that it names to the version it names.
func bump(version string) error {
	version = "v" + strings.TrimPrefix(version, "v")
	if !strings.HasPrefix(version, "v1.") {
		return fmt.Errorf("%s is no version of Kubernetes, such as v1.36.4", version)
	}
	theirs, err := upstream(version)
	if err != nil {
		return err
	}
	ours, err := readGoMod("go.mod")
	if err != nil {
		return err
	}
	if _, err := goOutput(append([]string{"mod", "edit"}, edits(version, ours, theirs)...)...); err != nil {
		return err
	}
	fmt.Printf("versions: go.mod is at Kubernetes %s.\nnext: go mod tidy; scripts/verify-versions; go run ./wasm/overlay/gen, which names every overlaid file that changed\n", version)
	return nil
}

// edits are the arguments of go mod edit.
func edits(version string, ours, theirs goMod) []string {
	staging := map[string]bool{}
	args := []string{"-require=" + kubernetes + "@" + version}
	for _, path := range theirs.staging() {
		staging[path] = true
		args = append(args, "-replace="+path+"="+path+"@"+stagingVersion(version))
	}
	named := map[string]string{}
	for _, r := range theirs.Require {
		named[r.Path] = r.Version
	}
	// A module that another one asks a newer version of is held at upstream's by a replacement, which moves.
	held := map[string]bool{}
	for _, r := range ours.Replace {
		v, ok := named[r.Old.Path]
		if held[r.Old.Path] = ok && !staging[r.Old.Path] && r.Old.Path == r.New.Path; held[r.Old.Path] && v != r.New.Version {
			args = append(args, "-replace="+r.Old.Path+"="+r.Old.Path+"@"+v)
		}
		// A staging module that upstream has given up must not be held by an old replacement.
		if strings.HasPrefix(r.Old.Path, "k8s.io/") && r.Old.Path == r.New.Path && !staging[r.Old.Path] {
			args = append(args, "-dropreplace="+r.Old.Path)
		}
	}
	for _, r := range ours.Require {
		if staging[r.Path] {
			args = append(args, "-require="+r.Path+"@"+stagingVersion(version))
		} else if v, ok := named[r.Path]; ok && v != r.Version && !held[r.Path] {
			args = append(args, "-require="+r.Path+"@"+v)
		}
	}
	return args
}

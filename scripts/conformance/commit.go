package main

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
)

// changedMark is behind a commit on top of which something was changed.
const changedMark = "+"

// commitHere is the commit that is checked out, shortened, with changedMark behind it if a file that git knows was
// changed since. The results themselves do not count: a run writes them.
func commitHere(ctx context.Context) (string, error) {
	hash, err := git(ctx, "rev-parse", "--short", "HEAD")
	if err != nil {
		return "", err
	}
	changed, err := git(ctx, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!"+resultsFile, ":!"+reportFile)
	if err != nil {
		return "", err
	}
	if changed != "" {
		hash += changedMark
	}
	return hash, nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("ask git which commit is tested (git %s): %w; the results say so of each test", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// maxCommits is how many commits the report names for each target.
const maxCommits = 5

// commits says for each target how many of its results are of which commit, most of them first; "" while nothing is
// known of any.
func commits(r *results, targets []string) string {
	var all []string
	known := false
	for _, target := range targets {
		counts := map[string]int{}
		for _, by := range r.Tests {
			if got, ok := by[target]; ok {
				counts[got.Commit]++
			}
		}
		unknown := counts[""]
		delete(counts, "")
		known = known || len(counts) > 0
		names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
			if d := counts[b] - counts[a]; d != 0 {
				return d
			}
			return strings.Compare(a, b)
		})
		var parts []string
		for _, name := range names[:min(maxCommits, len(names))] {
			parts = append(parts, fmt.Sprintf("%d at %s", counts[name], name))
		}
		rest := 0
		for _, name := range names[len(parts):] {
			rest += counts[name]
		}
		if rest > 0 {
			parts = append(parts, fmt.Sprintf("%d at %d others", rest, len(names)-maxCommits))
		}
		if unknown > 0 {
			parts = append(parts, fmt.Sprintf("%d at one that was not kept", unknown))
		}
		if parts != nil {
			all = append(all, columns[target]+": "+strings.Join(parts, ", "))
		}
	}
	if !known {
		return ""
	}
	return fmt.Sprintf("Results by the commit that they are of (%q: with changes on top of it): %s.\n\n", changedMark, strings.Join(all, "; "))
}

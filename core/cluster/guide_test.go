package cluster_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/program"
)

// refusals are the guide's blocks that are there to fail, by how they begin, with how they end.
var refusals = map[string]int{
	"kubectl create deployment nothing":       1, // it lacks a flag
	"kubectl config set-credentials stranger": 1, // a token that nobody knows
	"kubectl config set-credentials ada":      1, // one of an issuer that nobody has told the server of: core/configuration does
	"kubectl get pods --as=nobody":            1, // forbidden
	"kubectl create deployment mine":          1, // forbidden
}

// blockPatience bounds one block of the guide: some of them wait for a pod.
const blockPatience = 90 * time.Second

// TestGuidesBlocks: what the guide's chapters have to run ends as they say, in their order, in a terminal of its own.
// Initializers are off unless the configuration switches them on: core/configuration tries that chapter's.
func TestGuidesBlocks(t *testing.T) {
	chapters, err := filepath.Glob("../../web/guide/chapters/*.md")
	if err != nil || len(chapters) == 0 {
		t.Fatal(chapters, err)
	}
	guided, err := kubectl.New(kubectl.Options{
		RESTConfig: running.AdminConfig, FS: program.NewFS(t.TempDir()).Plain(), Net: kubectl.HostNetwork{Laptop: running}, Trace: bus, Nodes: running,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, line := range []string{
			"kubectl delete deployment/dex service/dex secret/dex configmap/dex deployment/nginx deployment/typo service/nginx rolebinding/viewers namespace/small --ignore-not-found",
			"kubectl delete pods --all --now",
		} {
			terminal(context.Background(), line, &bytes.Buffer{}, &bytes.Buffer{})
		}
	})
	refused := 0
	for _, file := range chapters {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		if strings.HasSuffix(name, "initializers") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Those of the second kind are told in the place of what was told before.
		for _, block := range regexp.MustCompile("```(?:shell|next)\n").Split(string(text), -1)[1:] {
			block, _, _ = strings.Cut(block, "\n```")
			want := 0
			for begin, code := range refusals {
				if strings.HasPrefix(block, begin) {
					want = code
					refused++
				}
			}
			var out bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), blockPatience)
			got := guided.Session("guide").Run(ctx, block, kubectl.Streams{Stdout: &out, Stderr: &out})
			if ctx.Err() != nil {
				t.Errorf("%s: not ended after %s:\n$ %s\n%s", name, blockPatience, block, out.String())
			} else if got != want {
				t.Errorf("%s: ended with %d, want %d:\n$ %s\n%s", name, got, want, block, out.String())
			}
			cancel()
		}
	}
	if refused != len(refusals) {
		t.Errorf("%d blocks are there to fail, of which the guide has %d", len(refusals), refused)
	}
}

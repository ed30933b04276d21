package main

import (
	"slices"
	"testing"
)

func replace(old, path, version string) struct{ Old, New module } {
	return struct{ Old, New module }{module{Path: old}, module{path, version}}
}

var theirs = goMod{
	Require: []module{{"go.etcd.io/etcd/client/v3", "v3.6.8"}, {"google.golang.org/grpc", "v1.79.0"}, {"k8s.io/api", "v0.0.0"}, {"example.com/unused", "v1.0.0"}},
	Replace: []struct{ Old, New module }{replace("k8s.io/api", "./staging/src/k8s.io/api", ""), replace("k8s.io/new", "./staging/src/k8s.io/new", "")},
}

func TestCompareNamesEachDriftedModule(t *testing.T) {
	got := compare("v1.36.3", theirs, map[string]string{
		"go.etcd.io/etcd/client/v3": "v3.7.2", "google.golang.org/grpc": "v1.79.0", "k8s.io/api": "v0.36.2", "k8s.io/new": "v0.36.3",
		"example.com/ours": "v9.9.9",
	})
	want := []string{
		"  go.etcd.io/etcd/client/v3: v3.7.2, upstream v3.6.8",
		"  k8s.io/api: v0.36.2, upstream v0.36.3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBumpMovesAllLinesAtOnce(t *testing.T) {
	ours := goMod{
		Require: []module{{kubernetes, "v1.35.0"}, {"k8s.io/api", "v0.35.0"}, {"google.golang.org/grpc", "v1.70.0"}, {"github.com/tidwall/buntdb", "v1.3.0"}, {"go.etcd.io/etcd/client/v3", "v3.9.0"}},
		Replace: []struct{ Old, New module }{replace("go.etcd.io/etcd/client/v3", "go.etcd.io/etcd/client/v3", "v3.6.0"), replace("k8s.io/api", "k8s.io/api", "v0.35.0"), replace("k8s.io/gone", "k8s.io/gone", "v0.35.0")},
	}
	got := edits("v1.36.3", ours, theirs)
	want := []string{
		"-require=k8s.io/kubernetes@v1.36.3",
		"-replace=k8s.io/api=k8s.io/api@v0.36.3",
		"-replace=k8s.io/new=k8s.io/new@v0.36.3",
		"-replace=go.etcd.io/etcd/client/v3=go.etcd.io/etcd/client/v3@v3.6.8",
		"-dropreplace=k8s.io/gone",
		"-require=k8s.io/api@v0.36.3",
		"-require=google.golang.org/grpc@v1.79.0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

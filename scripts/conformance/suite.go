package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const kubernetes = "k8s.io/kubernetes"

// suite is the built runner.
type suite struct{ runner, kubectl string }

// test is one of the suite.
type test struct {
	name   string
	serial bool // may not run beside others
}

// kubernetesVersion is the one that go.mod names.
func kubernetesVersion() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", kubernetes).Output()
	if err != nil {
		return "", fmt.Errorf("find the version of Kubernetes: %w", explain(err))
	}
	return strings.TrimSpace(string(out)), nil
}

// buildSuite builds the runner and the kubectl of the same version, once per version: about
// three minutes on two cores. What only they depend on stands in a go.mod of their own.
func buildSuite(ctx context.Context, version string) (*suite, error) {
	dir, err := filepath.Abs(filepath.Join(workDir, version))
	if err != nil {
		return nil, err
	}
	s := &suite{runner: filepath.Join(dir, "e2e.test"), kubectl: filepath.Join(dir, "kubectl")}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	mod := filepath.Join(dir, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return nil, err
		}
	}
	flags := versionFlags(version)
	for _, b := range []struct {
		file string
		args []string
	}{
		{s.kubectl, []string{"build", "-modfile=" + mod, "-mod=mod", flags, "-o", s.kubectl, kubernetes + "/cmd/kubectl"}},
		{s.runner, []string{"test", "-c", "-modfile=" + mod, "-mod=mod", flags, "-o", s.runner, kubernetes + "/test/e2e"}},
	} {
		if _, err := os.Stat(b.file); err == nil {
			continue
		}
		begin := time.Now()
		say("building %s", filepath.Base(b.file))
		cmd := exec.CommandContext(ctx, "go", b.args...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("build %s: %w", filepath.Base(b.file), err)
		}
		say("built in %s", time.Since(begin).Round(time.Second))
	}
	return s, nil
}

// versionFlags have the linker say the version, as upstream's releases do (hack/lib/version.sh):
// `kubectl version` compares its own with the server's.
func versionFlags(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	flags := []string{"-ldflags="}
	for _, of := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags = append(flags, "-X", of+".gitVersion="+version, "-X", of+".gitMajor="+parts[0], "-X", of+".gitMinor="+parts[1])
	}
	return strings.Join(flags, " ")
}

// list is every test that the suite marks [Conformance], by name.
func (s *suite) list(ctx context.Context) ([]test, error) {
	report, err := filepath.Abs(filepath.Join(workDir, "list.json"))
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, s.runner, "--ginkgo.dry-run", "--ginkgo.no-color", "--ginkgo.focus=\\[Conformance\\]",
		"--ginkgo.json-report="+report).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("list the tests: %w\n%s", err, last(out, 2000))
	}
	specs, err := readReport(report)
	if err != nil {
		return nil, err
	}
	var tests []test
	for _, spec := range specs {
		if spec.State != "skipped" {
			tests = append(tests, test{spec.name(), strings.Contains(spec.name(), "[Serial]")})
		}
	}
	if len(tests) == 0 {
		return nil, errors.New("list the tests: there are none")
	}
	slices.SortFunc(tests, func(a, b test) int { return strings.Compare(a.name, b.name) })
	return tests, nil
}

// spec is one test of ginkgo's JSON report: the fields that are used here.
type spec struct {
	ContainerHierarchyTexts []string
	LeafNodeType            string
	LeafNodeText            string
	State                   string
	RunTime                 time.Duration
	Failure                 struct {
		Message  string
		Location struct {
			FileName   string
			LineNumber int
		}
	}
}

func (s spec) name() string {
	return strings.Join(append(slices.Clone(s.ContainerHierarchyTexts), s.LeafNodeText), " ")
}

func readReport(file string) ([]spec, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read a report: %w", err)
	}
	var suites []struct{ SpecReports []spec }
	if err := json.Unmarshal(b, &suites); err != nil {
		return nil, fmt.Errorf("read a report: %w", err)
	}
	var specs []spec
	for _, s := range suites {
		for _, spec := range s.SpecReports {
			if spec.LeafNodeType == "It" {
				specs = append(specs, spec)
			}
		}
	}
	return specs, nil
}

// explain adds what a command said to its error.
func explain(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}

func last(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

package preflight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// installer is a distribution's package manager.
type installer struct {
	program string
	install []string          // before the packages' names
	names   map[string]string // of packages that are not called as Debian calls them
}

var installers = []installer{
	{"apt-get", []string{"apt-get", "install", "-y", "--no-install-recommends"}, nil},
	{"dnf", []string{"dnf", "install", "-y"}, nil},
	{"zypper", []string{"zypper", "--non-interactive", "install"}, map[string]string{"containernetworking-plugins": "cni-plugins"}},
	{"apk", []string{"apk", "add"}, map[string]string{"containernetworking-plugins": "cni-plugins", "mount": "util-linux"}},
	{"pacman", []string{"pacman", "-S", "--noconfirm", "--needed"}, map[string]string{"containernetworking-plugins": "cni-plugins", "mount": "util-linux"}},
}

// Command is what installs the packages of lacks on this machine; empty if no package is missing, or
// if the machine's package manager is not known.
func (s *System) Command(lacks []Lack) []string {
	var packages []string
	for _, l := range lacks {
		packages = append(packages, l.Packages...)
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	if len(packages) == 0 {
		return nil
	}
	for _, i := range installers {
		if _, err := s.LookPath(i.program); err != nil {
			continue
		}
		line := slices.Clone(i.install)
		for _, p := range packages {
			if other, ok := i.names[p]; ok {
				p = other
			}
			line = append(line, p)
		}
		return line
	}
	return nil
}

// Explain is an error that says of each lack what to do; nil if there are none.
func (s *System) Explain(lacks []Lack) error {
	var errs []error
	for _, l := range lacks {
		do := l.Do
		if len(l.Packages) > 0 {
			if line := s.Command([]Lack{l}); line != nil {
				do = strings.Join(line, " ")
			} else {
				do = "install " + strings.Join(l.Packages, " ")
			}
		}
		errs = append(errs, fmt.Errorf("missing: %s (%s)\n    %s", l.What, l.Why, do))
	}
	if len(errs) == 0 {
		return nil
	}
	head := "this machine cannot be a node yet"
	if line := s.Command(lacks); line != nil {
		head += "; --install runs: " + strings.Join(line, " ")
	}
	return fmt.Errorf("%s\n%w", head, errors.Join(errs...))
}

// Install runs Command, and says what it does.
func (s *System) Install(ctx context.Context, lacks []Lack, out io.Writer) error {
	line := s.Command(lacks)
	if line == nil {
		return nil
	}
	if line[0] == "apt-get" {
		_ = run(ctx, out, "apt-get", "update") // what is known may be enough
	}
	return run(ctx, out, line...)
}

func run(ctx context.Context, out io.Writer, line ...string) error {
	fmt.Fprintf(out, "$ %s\n", strings.Join(line, " "))
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(line, " "), err)
	}
	return nil
}

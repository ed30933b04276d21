package command

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// startable is how a program of p's is started, by its name or place: as p finds it, or as a script, which its shell finds.
func startable(p *program.Process, name string, args []string) (run program.Program, argv []string, ok bool) {
	if p.Lookup == nil {
		return nil, nil, false
	}
	argv = append([]string{name}, args...)
	if run, ok = p.Lookup(name); ok {
		return run, argv, true
	}
	argv = append([]string{"sh", "-c", `exec "$0" "$@"`}, argv...)
	run, ok = p.Lookup("sh")
	return run, argv, ok
}

// start runs a program as a child of p, in p's table if it has one, and gives its exit code.
func start(ctx context.Context, run program.Program, p, child *program.Process) int {
	if p.Table != nil {
		return p.Table.Run(ctx, run, child)
	}
	return run(ctx, child)
}

// programs are the directories in which p looks for programs.
func programs(p *program.Process) []string {
	var dirs []string
	for dir := range strings.SplitSeq(p.Getenv("PATH"), ":") {
		if dir != "" {
			dirs = append(dirs, p.Path(dir))
		}
	}
	return dirs
}

// executable tells whether a file of p's could be started.
func executable(p *program.Process, file string) error {
	info, err := p.FS.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable", path.Clean(file))
	}
	return nil
}

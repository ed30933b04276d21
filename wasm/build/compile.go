package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

// mainPackage is what is built.
const mainPackage = "./wasm"

// tell is how often a long compilation says how far it is.
const tell = 5 * time.Second

// build is one run of this command.
type build struct {
	dirs   overlay.Dirs
	assets string // where the files go
	names  bool   // whether the module keeps the names of functions, for profiles
}

func newBuild(d overlay.Dirs, assets string) *build {
	if assets == "" {
		assets = filepath.Join(d.Root, "out", "site", "assets")
	}
	return &build{dirs: d, assets: assets}
}

// module is the linker's output, kept so that Go links again only if it must.
func (b *build) module() string {
	if b.names {
		return filepath.Join(b.dirs.Out, "named.wasm")
	}
	return filepath.Join(b.dirs.Out, "tabernetes.wasm")
}

// compile runs go build, printing how many packages are done. A cold build is some 1,900
// packages and takes 10 to 20 minutes on two cores.
func (b *build) compile() error {
	say("compile: the first time this takes some 15 minutes; later only what changed")
	begin := time.Now()
	linked := overlay.FuncLines
	if b.names {
		linked = "-ldflags=-w -checklinkname=0"
	}
	args := []string{linked, "-v", "-o", b.module(), mainPackage}
	cmd := overlay.Command(b.dirs, "build", args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	var done atomic.Int64
	stop := make(chan struct{})
	go func() {
		for tick := time.NewTicker(tell); ; {
			select {
			case <-tick.C:
				say("compile: %d packages, %s", done.Load(), time.Since(begin).Round(time.Second))
			case <-stop:
				return
			}
		}
	}()
	messages := readPackages(stderr, &done)
	err = cmd.Wait()
	close(stop)
	if err != nil {
		os.Stderr.Write(messages)
		return fmt.Errorf("compile: %w", err)
	}
	say("compile: %d packages and the link (%.0f s)", done.Load(), time.Since(begin).Seconds())
	return nil
}

// readPackages counts go build -v's lines of one import path each, and returns all others.
func readPackages(r io.Reader, done *atomic.Int64) []byte {
	var rest bytes.Buffer
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if line != "" && !strings.ContainsAny(line, " :\t#") {
			done.Add(1)
			continue
		}
		rest.WriteString(line + "\n")
	}
	return rest.Bytes()
}

package image

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"path"

	"github.com/tabernetes/tabernetes/core/program"
)

// httpd is the web server that serves what is in htdocs. Its configuration file is not read.
func httpd(tools map[string]program.Program) Image {
	files := base(debianRelease)
	files["/usr/local/apache2/htdocs/index.html"] = Text("<html><body><h1>It works!</h1></body></html>\n")
	return userland(Image{
		Names: []string{"httpd"},
		Tags: Tags{
			Words: []string{"latest"}, Releases: []Release{{2, 4}},
			Variants: []string{"alpine", "buster", "bullseye", "bookworm", "trixie"},
		},
		Cmd:          []string{"httpd-foreground"},
		Env:          []string{"PATH=/usr/local/apache2/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HTTPD_PREFIX=/usr/local/apache2"},
		WorkingDir:   "/usr/local/apache2",
		ExposedPorts: []string{"80/tcp"},
		Files:        files,
		Programs:     map[string]program.Program{"/usr/local/bin/httpd-foreground": httpdMain},
	}, "/bin/busybox", withBash(tools))
}

func httpdMain(ctx context.Context, p *program.Process) int {
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	fmt.Fprintln(p.Stderr, "AH00558: httpd: Could not reliably determine the server's fully qualified domain name")
	fmt.Fprintln(p.Stderr, "AH00094: Command line: 'httpd -D FOREGROUND'")
	return serveHTTP(ctx, p, 80, logged(p.Stdout, http.FileServer(below{p, "/usr/local/apache2/htdocs"})))
}

// below is a directory of the container, for http.FileServer. It asks by clean names only.
type below struct {
	p   *program.Process
	dir string
}

// Open implements http.FileSystem.
func (b below) Open(name string) (http.File, error) {
	name = path.Join(b.dir, path.Clean("/"+name))
	info, err := b.p.FS.Stat(name)
	if err != nil {
		return nil, err
	}
	f, err := b.p.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return found{f, b.p, name, info}, nil
}

// found is a file or a directory that is served.
type found struct {
	program.File
	p    *program.Process
	name string
	info fs.FileInfo
}

// Stat implements http.File.
func (f found) Stat() (fs.FileInfo, error) { return f.info, nil }

// Readdir implements http.File.
func (f found) Readdir(int) ([]fs.FileInfo, error) {
	entries, err := f.p.FS.ReadDir(f.name)
	var infos []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			infos = append(infos, info)
		}
	}
	return infos, err
}

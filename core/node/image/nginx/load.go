package nginx

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// prefix is where relative paths of a configuration begin.
const prefix = "/etc/nginx"

const (
	// maxConfig is how long a configuration may be, in bytes, with all that it includes: what it is read into takes
	// many times that. It is as much as a ConfigMap may have.
	maxConfig = 1 << 20
	// maxRegexps is what its regular expressions may take, in bytes.
	maxRegexps = 8 << 20
)

// loader reads a configuration with the files that it includes.
type loader struct {
	fs      *program.FS
	config  *config
	include int // depth
	size    int // bytes, of all files
	regexps int // bytes, of what is compiled
}

// load reads the configuration that begins at file. Errors are in nginx' words.
func load(fs *program.FS, file string) (*config, error) {
	l := newLoader(fs)
	list, err := l.read(file)
	if err != nil {
		return nil, err
	}
	conf, err := l.build(list)
	if err == nil && !slices.ContainsFunc(list, func(d directive) bool { return d.name == "events" }) {
		return nil, errors.New(`no "events" section in configuration`)
	}
	return conf, err
}

func newLoader(fs *program.FS) *loader {
	return &loader{fs: fs, config: &config{
		upstreams: map[string]*upstream{},
		formats: map[string]string{"combined": `$remote_addr - $remote_user [$time_local] "$request" ` +
			`$status $body_bytes_sent "$http_referer" "$http_user_agent"`},
		errorLog: defaultErrorLog,
		pidFile:  "/run/nginx.pid",
	}}
}

// compile compiles a regular expression of the configuration.
func (l *loader) compile(text string) (*regex.Regexp, error) {
	re, err := regex.Compile(text)
	if err != nil {
		return nil, err
	}
	if l.regexps += re.Memory(true); l.regexps > maxRegexps {
		return nil, regex.ErrSize
	}
	return re, nil
}

// build makes a configuration of directives in which no include is left.
func (l *loader) build(list []directive) (*config, error) {
	for _, d := range list {
		switch d.name {
		case "http":
			http := settings{
				root: prefix + "/html", index: []string{"index.html"}, defaultType: "text/plain", accessLog: "/var/log/nginx/access.log",
				logFormat: "combined", types: map[string]string{"html": "text/html", "gif": "image/gif", "jpg": "image/jpeg"},
				own: map[string]bool{},
			}
			if err := l.http(d, http); err != nil {
				return nil, err
			}
		case "events", "user", "env", "daemon", "master_process", "load_module":
		case "error_log":
			l.config.errorLog = arg(d, 0)
		case "pid":
			l.config.pidFile = arg(d, 0)
		default:
			if err := l.other(d); err != nil {
				return nil, err
			}
		}
	}
	return l.config, nil
}

// read parses a file and puts what it includes in place of the includes.
func (l *loader) read(file string) ([]directive, error) {
	data, err := l.fs.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("open() %q failed (%s)", file, program.Reason(err))
	}
	if l.size += len(data); l.size > maxConfig {
		return nil, fmt.Errorf("%q makes the configuration longer than %d bytes, which the tab's stand-in has no room for", file, maxConfig)
	}
	list, err := parse(file, string(data))
	if err != nil {
		return nil, err
	}
	return l.expand(list)
}

func (l *loader) expand(list []directive) ([]directive, error) {
	var all []directive
	for _, d := range list {
		if d.name != "include" {
			var err error
			if d.block, err = l.expand(d.block); err != nil {
				return nil, err
			}
			all = append(all, d)
			continue
		}
		if l.include++; l.include > 100 {
			return nil, d.errorf("too many includes")
		}
		pattern := arg(d, 0)
		if !path.IsAbs(pattern) {
			pattern = path.Join(prefix, pattern)
		}
		files, err := l.glob(pattern)
		if err != nil {
			return nil, d.errorf("%v", err)
		}
		for _, file := range files {
			if _, err := l.fs.Stat(file); errors.Is(err, fs.ErrNotExist) {
				return nil, d.errorf("open() %q failed (2: %s)", file, program.Reason(err))
			}
			more, err := l.read(file)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// glob gives the files that a pattern means; without a star it is the file itself.
func (l *loader) glob(pattern string) ([]string, error) {
	if !strings.ContainsAny(pattern, "*?[") {
		return []string{pattern}, nil
	}
	entries, err := l.fs.ReadDir(path.Dir(pattern))
	if err != nil {
		return nil, nil // as nginx: a pattern may match nothing
	}
	var files []string
	for _, e := range entries {
		name := path.Join(path.Dir(pattern), e.Name())
		ok, err := path.Match(pattern, name)
		if err != nil {
			return nil, err
		}
		if ok && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, name)
		}
	}
	return files, nil
}

func (l *loader) http(d directive, s settings) error {
	// What servers inherit may stand after them.
	for _, in := range d.block {
		switch in.name {
		case "server", "upstream", "map", "geo", "split_clients":
			continue
		case "log_format":
			args := slices.DeleteFunc(slices.Clone(in.args), func(a string) bool { return strings.HasPrefix(a, "escape=") })
			if len(args) < 2 {
				return in.errorf(`invalid number of arguments in "log_format" directive`)
			}
			l.config.formats[args[0]] = strings.Join(args[1:], "")
			continue
		}
		if slices.Contains(scripted, in.name) {
			return in.errorf("%q directive is not allowed here", in.name)
		}
		if err := l.setting(in, &s); err != nil {
			return err
		}
	}
	for _, in := range d.block {
		switch in.name {
		case "server":
			srv := &server{settings: s.child()}
			if err := l.server(in, srv); err != nil {
				return err
			}
			l.config.servers = append(l.config.servers, srv)
		case "upstream":
			up := &upstream{}
			for _, m := range in.block {
				if m.name == "server" {
					up.servers = append(up.servers, withPort(arg(m, 0), "80"))
				}
			}
			if len(up.servers) == 0 {
				return in.errorf("no servers are inside upstream")
			}
			l.config.upstreams[arg(in, 0)] = up
		case "map", "geo", "split_clients":
			l.warn(in)
		}
	}
	return nil
}

func (l *loader) server(d directive, s *server) error {
	for _, in := range d.block {
		switch in.name {
		case "listen":
			if len(in.args) == 0 {
				return in.errorf(`invalid number of arguments in "listen" directive`)
			}
			if slices.Contains(in.args, "ssl") || slices.Contains(in.args, "quic") {
				return in.errorf("TLS is not supported in the tab: listen %s", strings.Join(in.args, " "))
			}
			s.listens = append(s.listens, listen{address: listenAddress(arg(in, 0)), primary: slices.Contains(in.args, "default_server")})
		case "server_name":
			for _, name := range in.args {
				s.names = append(s.names, strings.ToLower(name))
			}
		case "location":
		default:
			if err := l.setting(in, &s.settings); err != nil {
				return err
			}
		}
	}
	if len(s.listens) == 0 {
		s.listens = []listen{{address: ":80"}}
	}
	if err := l.readBranches(&s.settings); err != nil {
		return err
	}
	return l.locations(d.block, s, &s.settings)
}

// locations reads the locations of a block, those inside others too.
func (l *loader) locations(block []directive, s *server, outer *settings) error {
	for _, d := range block {
		if d.name != "location" {
			continue
		}
		loc := &location{settings: outer.child()}
		loc.isLocation = true
		switch {
		case len(d.args) == 2 && slices.Contains([]string{"=", "^~", "~", "~*"}, d.args[0]):
			loc.kind, loc.pattern = d.args[0], d.args[1]
		case len(d.args) == 1 && strings.HasPrefix(d.args[0], "@"):
			loc.kind, loc.pattern = "@", d.args[0]
		case len(d.args) == 1:
			loc.pattern = d.args[0]
		default:
			return d.errorf(`invalid number of arguments in "location" directive`)
		}
		if loc.kind == "~" || loc.kind == "~*" {
			text := loc.pattern
			if loc.kind == "~*" {
				text = "(?i)" + text
			}
			re, err := l.compile(text)
			if err != nil {
				return d.errorf("regular expression %.200q: %v", loc.pattern, err)
			}
			loc.re = re
		}
		for _, in := range d.block {
			if in.name != "location" {
				if err := l.setting(in, &loc.settings); err != nil {
					return err
				}
			}
		}
		if err := l.readBranches(&loc.settings); err != nil {
			return err
		}
		s.locations = append(s.locations, loc)
		if err := l.locations(d.block, s, &loc.settings); err != nil {
			return err
		}
	}
	return nil
}

// listenAddress is nginx' form of an address in net.Listen's.
func listenAddress(text string) string {
	if _, err := strconv.Atoi(text); err == nil {
		return ":" + text
	}
	text = withPort(text, "80")
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return text
	}
	if host == "*" || host == "0.0.0.0" || host == "::" {
		host = ""
	}
	return net.JoinHostPort(host, port)
}

// withPort adds a port to a host that has none.
func withPort(host, port string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}

// arg is a directive's argument, or "".
func arg(d directive, i int) string {
	if i < len(d.args) {
		return d.args[i]
	}
	return ""
}

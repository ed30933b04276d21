package nginx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setting reads one directive of a http, server or location block.
func (l *loader) setting(d directive, s *settings) error {
	need := func(n int) error {
		if len(d.args) < n {
			return d.errorf("invalid number of arguments in %q directive", d.name)
		}
		return nil
	}
	// The first of a kind in a block replaces what was inherited.
	first := !s.own[d.name]
	if s.own != nil {
		s.own[d.name] = true
	}
	most := func(n int) error {
		if len(d.args) > n {
			return d.errorf("invalid number of arguments in %q directive", d.name)
		}
		return nil
	}
	switch d.name {
	case "root", "alias", "default_type", "proxy_pass":
		if err := most(1); err != nil {
			return err
		}
	case "autoindex", "internal":
		if err := flag(d); err != nil {
			return err
		}
	}
	switch d.name {
	case "root", "alias", "default_type", "proxy_pass", "index", "try_files", "error_page", "access_log":
		if err := need(1); err != nil {
			return err
		}
	case "add_header", "proxy_set_header":
		if err := need(2); err != nil {
			return err
		}
	}
	switch d.name {
	case "root":
		s.root, s.alias = d.args[0], ""
	case "alias":
		s.alias = d.args[0]
	case "index":
		s.index = d.args
	case "default_type":
		s.defaultType = d.args[0]
	case "types":
		s.types = map[string]string{}
		for _, t := range d.block {
			for _, ext := range t.args {
				s.types[ext] = t.name
			}
		}
	case "autoindex":
		s.autoindex = arg(d, 0) == "on"
	case "server_tokens":
		s.hideVersion = arg(d, 0) == "off"
	case "access_log":
		s.accessLog = d.args[0]
		if format := arg(d, 1); format != "" && !strings.Contains(format, "=") {
			s.logFormat = format
			if _, ok := l.config.formats[format]; !ok {
				return d.errorf("unknown log format %q", format)
			}
		}
	case "add_header":
		if first {
			s.headers = nil
		}
		s.headers = append(slices.Clone(s.headers), header{d.args[0], d.args[1], arg(d, 2) == "always"})
	case "proxy_set_header":
		if first {
			s.proxyHeaders = nil
		}
		s.proxyHeaders = append(slices.Clone(s.proxyHeaders), header{name: d.args[0], value: d.args[1]})
	case "error_page":
		return l.errorPage(d, s, first)
	case "set", "rewrite", "return", "break", "if":
		return l.step(d, s)
	case "limit_except":
		if !s.isLocation {
			return d.errorf("%q directive is not allowed here", d.name)
		}
		return l.limitExcept(d, s)
	case "try_files":
		if err := need(2); err != nil {
			return err
		}
		s.tryFiles = d.args
	case "proxy_pass":
		if !strings.HasPrefix(d.args[0], "http://") {
			return d.errorf("invalid URL prefix")
		}
		s.proxyPass = d.args[0]
	case "deny":
		s.denied = arg(d, 0) == "all"
	case "allow":
		s.denied = s.denied && arg(d, 0) != "all"
	case "internal":
		s.internal = true
	case "stub_status":
		s.status = true
	case "error_log":
	default:
		return l.other(d)
	}
	return nil
}

// flag checks a directive that is on or off; "internal" has no argument.
func flag(d directive) error {
	want := 1
	if d.name == "internal" {
		want = 0
	}
	if len(d.args) != want {
		return d.errorf("invalid number of arguments in %q directive", d.name)
	}
	if want == 1 && d.args[0] != "on" && d.args[0] != "off" {
		return d.errorf(`invalid value %q in %q directive, it must be "on" or "off"`, d.args[0], d.name)
	}
	return nil
}

// placed are directives that are known, and stand in certain blocks only.
var placed = []string{"http", "events", "server", "location", "listen", "server_name", "upstream", "log_format", "root", "return", "try_files", "proxy_pass", "alias",
	"index", "add_header", "error_page", "user", "pid", "daemon"}

func (l *loader) errorPage(d directive, s *settings, first bool) error {
	pages := map[int]errorPage{}
	if !first {
		for code, page := range s.errorPages {
			pages[code] = page
		}
	}
	page := errorPage{uri: d.args[len(d.args)-1]}
	for _, text := range d.args[:len(d.args)-1] {
		if as, ok := strings.CutPrefix(text, "="); ok {
			page.code = -1
			if code, err := strconv.Atoi(as); err == nil {
				page.code = code
			}
		}
	}
	for _, text := range d.args[:len(d.args)-1] {
		if strings.HasPrefix(text, "=") {
			continue
		}
		code, err := strconv.Atoi(text)
		if err != nil || code < 300 || code > 599 {
			return d.errorf("invalid value %q", text)
		}
		pages[code] = page
	}
	s.errorPages = pages
	return nil
}

func newReturn(d directive) (*returnRule, error) {
	code, err := strconv.Atoi(d.args[0])
	switch {
	case err != nil && (strings.HasPrefix(d.args[0], "http") || strings.HasPrefix(d.args[0], "$scheme")):
		return &returnRule{code: 302, text: d.args[0]}, nil
	case err != nil || code < 0 || code > 999:
		return nil, d.errorf("invalid return code %q", d.args[0])
	}
	return &returnRule{code: code, text: arg(d, 1)}, nil
}

// ignored are directives (with a star: their beginnings) that nginx has and that change nothing here, or
// nothing that could be done here.
var ignored = []string{
	"absolute_redirect", "aio", "auth_*", "charset", "chunked_*", "client_*", "connection_pool", "directio",
	"disable_symlinks", "etag", "expires", "fastcgi_*", "grpc_*", "gunzip", "gzip*", "http2", "if_modified_since", "ignore_invalid_headers",
	"keepalive_*", "large_client_header_buffers", "limit_*", "lingering_*", "log_not_found", "log_subrequest", "map_hash_*", "max_ranges",
	"memcached_*", "merge_slashes", "mirror*", "mp4*", "msie_*", "open_file_*", "open_log_*", "output_buffers", "pcre_jit", "perl_*",
	"port_in_redirect", "postpone_*", "proxy_*", "random_index", "read_ahead", "real_ip_*", "recursive_error_pages", "referer_*",
	"request_pool_size", "reset_timedout_connection", "resolver*", "rewrite_log", "satisfy", "scgi_*", "secure_link*", "send_*", "sendfile",
	"server_name_in_redirect", "server_names_*", "set_real_ip", "slice", "ssi*", "ssl*", "sub_filter*", "subrequest_*", "tcp_*",
	"thread_pool", "timer_resolution", "types_hash_*", "underscores_*", "uwsgi_*", "valid_referers", "variables_hash_*", "worker_*",
	"xslt_*", "zone", "accept_mutex", "multi_accept", "use", "debug_connection", "lock_file", "stream", "mail",
}

// quiet are those of them that are in nearly every configuration and worth no word.
var quiet = []string{"worker_*", "sendfile", "tcp_*", "keepalive_*", "gzip*", "types_hash_*", "client_*", "server_names_*", "send_*",
	"proxy_http_version", "proxy_read_timeout", "proxy_connect_timeout", "proxy_send_timeout", "proxy_buffer*", "charset", "etag",
	"reset_timedout_connection", "log_not_found", "output_buffers", "open_file_*", "pcre_jit"}

// other is a directive that is not known here: ignored if nginx has it.
func (l *loader) other(d directive) error {
	begins := func(p string) bool {
		start, many := strings.CutSuffix(p, "*")
		return d.name == start || many && strings.HasPrefix(d.name, start)
	}
	if slices.Contains(placed, d.name) {
		return d.errorf("%q directive is not allowed here", d.name)
	}
	if !slices.ContainsFunc(ignored, begins) {
		return d.errorf("unknown directive %q", d.name)
	}
	if !slices.ContainsFunc(quiet, begins) {
		l.warn(d)
	}
	return nil
}

func (l *loader) warn(d directive) {
	l.config.warnings = append(l.config.warnings, fmt.Sprintf("the tab's stand-in ignores %q in %s:%d", d.name, d.file, d.line))
}

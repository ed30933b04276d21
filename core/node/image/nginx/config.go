package nginx

import (
	"context"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// config is what a configuration says.
type config struct {
	servers   []*server
	upstreams map[string]*upstream
	formats   map[string]string // log_format by name
	errorLog  string            // a path
	pidFile   string
	warnings  []string // what is ignored
}

// server is a virtual server.
type server struct {
	listens   []listen
	names     []string
	locations []*location
	settings
}

// listen is an address; "" as host is every address.
type listen struct {
	address string
	primary bool // default_server
}

// location is a part of a server's URIs; the zero kind matches by prefix.
type location struct {
	kind    string // "", "=", "^~", "~", "~*", "@"
	pattern string
	re      *regex.Regexp
	settings
}

// settings are inherited from the surrounding block, as far as a block does not set its own.
type settings struct {
	root, alias  string
	index        []string
	defaultType  string
	types        map[string]string // by extension
	errorPages   map[int]errorPage
	headers      []header
	proxyHeaders []header
	accessLog    string // a path, "off" for none
	logFormat    string
	autoindex    bool
	hideVersion  bool
	rules

	own        map[string]bool // directives that this very block has set
	isLocation bool
}

// rules decide what is answered; they are not inherited.
type rules struct {
	script    script
	branches  []unread
	tryFiles  []string
	proxyPass string
	denied    bool
	except    *exception
	status    bool // stub_status
	internal  bool
}

type returnRule struct {
	code int
	text string // a URL for a redirection, else the body
}

type errorPage struct {
	uri  string
	code int // 0 keeps the error's code, -1 takes that of the page
}

type header struct {
	name, value string
	always      bool
}

// child is what a block inside begins with.
func (s *settings) child() settings {
	c := *s
	c.rules = rules{}
	c.own = map[string]bool{}
	return c
}

// upstream is a named group of servers, asked in turn.
type upstream struct {
	servers []string
	next    int
}

// matches tells whether a server's name is host.
func (s *server) matches(host string) bool {
	return slices.ContainsFunc(s.names, func(name string) bool {
		switch {
		case strings.HasPrefix(name, "*."):
			return strings.HasSuffix(host, name[1:])
		case strings.HasPrefix(name, "."):
			return host == name[1:] || strings.HasSuffix(host, name)
		case strings.HasSuffix(name, ".*"):
			return strings.HasPrefix(host, name[:len(name)-1])
		}
		return host == name
	})
}

// choose finds the server for a host on an address.
func (c *config) choose(address, host string) *server {
	var first, primary *server
	for _, s := range c.servers {
		for _, l := range s.listens {
			if l.address != address {
				continue
			}
			if s.matches(host) {
				return s
			}
			if first == nil {
				first = s
			}
			if l.primary && primary == nil {
				primary = s
			}
		}
	}
	if primary != nil {
		return primary
	}
	return first
}

// locate finds the location for a URI in nginx' order: exact, longest prefix if it is "^~",
// the first regular expression, longest prefix. nil is the server's own settings.
func (s *server) locate(ctx context.Context, uri string) (*location, []string) {
	var best *location
	for _, l := range s.locations {
		switch l.kind {
		case "=":
			if l.pattern == uri {
				return l, nil
			}
		case "", "^~":
			if strings.HasPrefix(uri, l.pattern) && (best == nil || len(l.pattern) > len(best.pattern)) {
				best = l
			}
		}
	}
	if best == nil || best.kind != "^~" {
		for _, l := range s.locations {
			if l.re != nil {
				if groups := matched(ctx, l.re, uri); groups != nil {
					return l, groups
				}
			}
		}
	}
	return best, nil
}

// named finds the location "@name".
func (s *server) named(name string) *location {
	for _, l := range s.locations {
		if l.kind == "@" && l.pattern == name {
			return l
		}
	}
	return nil
}

package nginx

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxRedirects is how often a request may be redirected inside; nginx' figure.
const maxRedirects = 10

// frontend is what answers on one address.
type frontend struct {
	master  *master
	address string
}

// request is one request on its way through the configuration.
type request struct {
	m        *master
	ctx      context.Context // yields
	config   *config
	server   *server
	r        *http.Request
	w        *writer
	start    time.Time
	uri      string // decoded and cleaned; internal redirects change it
	args     string
	method   string // GET inside an error page
	settings *settings
	location *location
	groups   []string          // of the regular expression that has matched last
	vars     map[string]string // what set, and names of groups, have given
	held     int               // bytes that they were given
	changed  bool              // by rewrite: another location is to be found
	internal bool              // no longer the URI that was asked for
	hops     int
	status   int // instead of 200, inside an error page
}

func (f *frontend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	defer f.master.p.Cgroup.Busy()()
	conf := f.master.config.Load()
	f.master.stats.requests.Add(1)
	q := &request{
		m: f.master, ctx: program.Yield(r.Context()), config: conf, server: conf.choose(f.address, strings.ToLower(host)), r: r, start: time.Now(),
		w: &writer{ResponseWriter: w}, uri: cleanURI(r.URL.Path), args: r.URL.RawQuery, method: r.Method,
	}
	if q.server == nil { // the configuration has lost this address
		w.WriteHeader(http.StatusNotFound)
		return
	}
	q.settings = &q.server.settings
	q.w.before = q.addHeaders
	version := "nginx/" + f.master.p.Getenv("NGINX_VERSION")
	if q.settings.hideVersion {
		version = "nginx"
	}
	w.Header().Set("Server", version)
	q.run()
	q.log()
}

// cleanURI resolves dots and double slashes; a trailing slash stays.
func cleanURI(uri string) string {
	clean := path.Clean("/" + uri)
	if strings.HasSuffix(uri, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// run does what the server says, finds the location and answers.
func (q *request) run() {
	q.location, q.settings = nil, &q.server.settings
	if q.server.script.run(q) != answered {
		q.find()
	}
}

// find finds the location and answers. Each URI that is not the first is a hop.
func (q *request) find() {
	if q.hops++; q.hops > maxRedirects {
		q.m.errorf("error", "rewrite or internal redirection cycle while processing %q", q.uri)
		q.page(http.StatusInternalServerError)
		return
	}
	loc, groups := q.server.locate(q.ctx, q.uri)
	q.enter(loc, groups)
}

// enter answers as a location says; nil is the server itself.
func (q *request) enter(loc *location, groups []string) {
	q.location, q.settings, q.changed = loc, &q.server.settings, false
	if loc != nil {
		q.settings = &loc.settings
		if groups != nil {
			q.capture(loc.re, groups)
		}
		if loc.internal && !q.internal && loc.kind != "@" {
			q.fail(http.StatusNotFound)
			return
		}
		switch {
		case loc.except.of(q.method):
			if loc.except.denied {
				q.fail(http.StatusForbidden)
				return
			}
		case loc.script.run(q) == answered:
			return
		case q.changed:
			q.find()
			return
		}
	}
	switch s := q.settings; {
	case s.denied:
		q.fail(http.StatusForbidden)
	case s.status:
		q.text(http.StatusOK, "text/plain", q.m.stats.String())
	case s.proxyPass != "":
		q.proxy()
	case len(s.tryFiles) > 0:
		q.tryFiles()
	default:
		q.static(q.uri)
	}
}

// redirect continues with another URI.
func (q *request) redirect(uri string) {
	q.internal = true
	if strings.HasPrefix(uri, "@") {
		if loc := q.server.named(uri); loc != nil {
			q.enter(loc, nil)
			return
		}
		q.m.errorf("error", "could not find named location %q", uri)
		q.page(http.StatusInternalServerError)
		return
	}
	uri, args, ok := strings.Cut(uri, "?")
	if ok {
		q.args = args
	}
	q.uri = cleanURI(uri)
	q.run()
}

func (q *request) doReturn(rule *returnRule) {
	text := q.expand(rule.text)
	switch {
	case rule.code == 444: // nginx closes the connection without an answer
		panic(http.ErrAbortHandler)
	case isRedirect(rule.code) && text != "":
		q.w.Header().Set("Location", q.absolute(text))
		q.page(rule.code)
	case text == "" && rule.code >= 300 || rule.code == http.StatusNoContent:
		q.fail(rule.code)
	default:
		q.text(rule.code, q.contentType(q.uri), text)
	}
}

func isRedirect(code int) bool {
	switch code {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// absolute makes a path a URL of this server, as nginx' absolute_redirect does.
func (q *request) absolute(target string) string {
	if strings.HasPrefix(target, "/") {
		return "http://" + q.r.Host + target
	}
	return target
}

// tryFiles answers with the first file that is there, or goes on with the last argument.
func (q *request) tryFiles() {
	files := q.settings.tryFiles
	last := files[len(files)-1]
	for _, pattern := range files[:len(files)-1] {
		name := cleanURI(q.expand(pattern))
		info, err := q.m.p.FS.Stat(q.file(name))
		if err == nil && info.IsDir() == strings.HasSuffix(pattern, "/") {
			// As nginx: the URI keeps no slash that it did not have, and a directory is then answered by where it is.
			if slash := strings.HasSuffix(pattern, "/") && !strings.HasSuffix(q.expand(strings.TrimSuffix(pattern, "/")), "/"); slash && name != "/" {
				name = strings.TrimSuffix(name, "/")
			}
			q.static(name)
			return
		}
	}
	if code, ok := strings.CutPrefix(last, "="); ok {
		n, err := strconv.Atoi(code)
		if err != nil {
			n = http.StatusNotFound
		}
		q.fail(n)
		return
	}
	q.redirect(q.expand(last))
}

// fail answers with an error, through error_page if that is set.
func (q *request) fail(code int) {
	page, ok := q.settings.errorPages[code]
	if !ok || q.status != 0 { // an error page's own errors get nginx' page
		q.page(code)
		return
	}
	uri := q.expand(page.uri)
	if strings.Contains(uri, "://") {
		q.w.Header().Set("Location", uri)
		q.page(http.StatusFound)
		return
	}
	switch page.code {
	case 0:
		q.status = code
	case -1:
	default:
		q.status = page.code
	}
	if q.method != http.MethodHead {
		q.method = http.MethodGet
	}
	q.redirect(uri)
}

// reasons are nginx' texts where they differ from Go's.
var reasons = map[int]string{
	302: "Found", 405: "Not Allowed", 408: "Request Time-out", 413: "Request Entity Too Large", 503: "Service Temporarily Unavailable",
	504: "Gateway Time-out",
}

// page answers with nginx' own page for a status.
func (q *request) page(code int) {
	reason, ok := reasons[code]
	if !ok {
		reason = http.StatusText(code)
	}
	if code < 300 || code == http.StatusNotModified {
		q.w.WriteHeader(code)
		return
	}
	if !hasPage(code) {
		q.w.Header().Set("Content-Length", "0")
		q.w.WriteHeader(code)
		return
	}
	version := q.w.Header().Get("Server")
	q.text(code, "text/html", fmt.Sprintf("<html>\r\n<head><title>%d %s</title></head>\r\n<body>\r\n<center><h1>%d %s</h1></center>\r\n"+
		"<hr><center>%s</center>\r\n</body>\r\n</html>\r\n", code, reason, code, reason, version))
}

// hasPage tells whether nginx has a page for a status (src/http/ngx_http_special_response.c).
func hasPage(code int) bool {
	switch {
	case code >= 301 && code <= 303, code == 307, code == 308, code >= 400 && code <= 416, code == 421, code == 429, code >= 494 && code <= 497:
		return true
	case code >= 500 && code <= 505, code == 507:
		return true
	}
	return false
}

func (q *request) text(code int, kind, body string) {
	q.w.Header().Set("Content-Type", kind)
	q.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	q.w.WriteHeader(q.code(code))
	if q.method != http.MethodHead {
		_, _ = q.w.Write([]byte(body)) // a client that went away is no error of ours
	}
}

// code is the status to answer with: an error page keeps the error's.
func (q *request) code(code int) int {
	if q.status != 0 && code == http.StatusOK {
		return q.status
	}
	return code
}

// addHeaders adds what add_header says for a status.
func (q *request) addHeaders(code int) {
	good := code >= 200 && code <= 206 && code != 203 && code != 205 || isRedirect(code) || code == 304
	for _, h := range q.settings.headers {
		if value := q.expand(h.value); value != "" && (good || h.always) {
			q.w.Header().Add(h.name, value)
		}
	}
}

// writer notes what was sent.
type writer struct {
	http.ResponseWriter
	before func(code int)
	status int
	bytes  int64
}

func (w *writer) WriteHeader(code int) {
	if w.status == 0 {
		w.status = code
		w.before(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *writer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController find what it needs for streaming.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package nginx

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

var variable = regexp.MustCompile(`\$(?:\{(\w+)\}|(\w+))`)

// maxExpanded bounds what variables add to a text, in bytes; what is beyond is left out.
const maxExpanded = 1 << 20

// expand puts the values of variables into text.
func (q *request) expand(text string) string { return q.expandAs(text, q.value) }

func (q *request) expandAs(text string, value func(name string) string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	left := maxExpanded
	return variable.ReplaceAllStringFunc(text, func(ref string) string {
		v := value(strings.Trim(ref, "${}"))
		if left -= len(v); left < 0 {
			return ""
		}
		return v
	})
}

// value is a variable's; nginx refuses unknown ones, here they are empty.
func (q *request) value(name string) string {
	r := q.r
	if n, err := strconv.Atoi(name); err == nil {
		if n < len(q.groups) {
			return q.groups[n]
		}
		return ""
	}
	if value, ok := q.vars[name]; ok {
		return value
	}
	switch name {
	case "uri", "document_uri":
		return q.uri
	case "request_uri":
		return r.RequestURI
	case "request_method":
		return r.Method
	case "request":
		return q.line()
	case "args", "query_string":
		return q.args
	case "is_args":
		if q.args != "" {
			return "?"
		}
		return ""
	case "scheme":
		return "http"
	case "server_protocol":
		return r.Proto
	case "host":
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		return strings.ToLower(host)
	case "http_host":
		return r.Host
	case "hostname":
		return q.m.p.Hostname
	case "server_name":
		return q.serverName()
	case "server_addr", "server_port":
		addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if addr == nil {
			return ""
		}
		host, port, _ := net.SplitHostPort(addr.String())
		if name == "server_port" {
			return port
		}
		return host
	case "remote_addr":
		return q.remote()
	case "remote_port":
		_, port, _ := net.SplitHostPort(r.RemoteAddr)
		return port
	case "remote_user":
		user, _, _ := r.BasicAuth()
		return user
	case "proxy_add_x_forwarded_for":
		if old := r.Header.Get("X-Forwarded-For"); old != "" {
			return old + ", " + q.remote()
		}
		return q.remote()
	case "document_root":
		return q.settings.root
	case "request_filename":
		return q.file(q.uri)
	case "content_type":
		return r.Header.Get("Content-Type")
	case "content_length":
		return r.Header.Get("Content-Length")
	case "nginx_version":
		return q.m.p.Getenv("NGINX_VERSION")
	case "pid":
		return strconv.Itoa(q.m.p.PID)
	case "status":
		return strconv.Itoa(q.w.status)
	case "body_bytes_sent", "bytes_sent":
		return strconv.FormatInt(q.w.bytes, 10)
	case "request_time":
		return fmt.Sprintf("%.3f", time.Since(q.start).Seconds())
	case "time_local":
		return q.start.UTC().Format("02/Jan/2006:15:04:05 -0700")
	case "time_iso8601":
		return q.start.UTC().Format("2006-01-02T15:04:05-07:00")
	case "msec":
		return fmt.Sprintf("%.3f", float64(q.start.UnixMilli())/1000)
	}
	if h, ok := strings.CutPrefix(name, "http_"); ok {
		return r.Header.Get(strings.ReplaceAll(h, "_", "-"))
	}
	if h, ok := strings.CutPrefix(name, "sent_http_"); ok {
		return q.w.Header().Get(strings.ReplaceAll(h, "_", "-"))
	}
	if key, ok := strings.CutPrefix(name, "arg_"); ok {
		return r.URL.Query().Get(key)
	}
	if key, ok := strings.CutPrefix(name, "cookie_"); ok {
		if c, err := r.Cookie(key); err == nil {
			return c.Value
		}
	}
	return ""
}

func (q *request) remote() string {
	host, _, err := net.SplitHostPort(q.r.RemoteAddr)
	if err != nil {
		return q.r.RemoteAddr
	}
	return host
}

func (q *request) line() string {
	return q.r.Method + " " + q.r.RequestURI + " " + q.r.Proto
}

func (q *request) serverName() string {
	if len(q.server.names) > 0 {
		return q.server.names[0]
	}
	return ""
}

// log writes the request's line to the access log.
func (q *request) log() {
	if q.settings.accessLog == "off" {
		return
	}
	format := q.config.formats[q.settings.logFormat]
	line := variable.ReplaceAllStringFunc(format, func(ref string) string {
		if v := q.value(strings.Trim(ref, "${}")); v != "" {
			return strings.NewReplacer(`"`, `\x22`, `\`, `\x5C`, "\n", `\x0A`).Replace(v)
		}
		return "-"
	})
	_, _ = q.m.log(q.settings.accessLog).Write([]byte(line + "\n")) // a log that fails stops no request
}

// stats is what stub_status shows.
type stats struct {
	active, accepted, requests atomic.Int64
}

func (s *stats) connState(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.active.Add(1)
		s.accepted.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.active.Add(-1)
	}
}

func (s *stats) String() string {
	n := s.accepted.Load()
	return fmt.Sprintf("Active connections: %d \nserver accepts handled requests\n %d %d %d \nReading: 0 Writing: 1 Waiting: %d \n",
		s.active.Load(), n, n, s.requests.Load(), max(0, s.active.Load()-1))
}

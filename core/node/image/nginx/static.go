package nginx

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// file is where a URI lies in the file system.
func (q *request) file(uri string) string {
	s := q.settings
	if s.alias != "" && q.location != nil {
		return path.Join(q.expand(s.alias), strings.TrimPrefix(uri, q.location.pattern))
	}
	root := q.expand(s.root)
	if !path.IsAbs(root) {
		root = path.Join(prefix, root)
	}
	return path.Join(root, uri)
}

// static answers with a file, a directory's index, or what is wrong.
func (q *request) static(uri string) {
	switch q.method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		q.fail(http.StatusMethodNotAllowed)
		return
	}
	name := q.file(uri)
	info, err := q.m.p.FS.Stat(name)
	switch {
	case err != nil:
		q.m.errorf("error", "*%d open() %q failed (2: No such file or directory), client: %s, server: %s, request: %q, host: %q",
			q.m.stats.requests.Load(), name, q.remote(), q.serverName(), q.line(), q.r.Host)
		q.fail(http.StatusNotFound)
	case info.IsDir() && !strings.HasSuffix(uri, "/"):
		q.w.Header().Set("Location", q.absolute((&url.URL{Path: uri + "/", RawQuery: q.args}).String()))
		q.page(http.StatusMovedPermanently)
	case info.IsDir():
		q.directory(uri, name)
	case strings.HasSuffix(uri, "/"):
		q.fail(http.StatusNotFound)
	case q.method == http.MethodPost: // of what is there only
		q.fail(http.StatusMethodNotAllowed)
	default:
		q.send(name, uri)
	}
}

func (q *request) directory(uri, name string) {
	for _, index := range q.settings.index {
		index = q.expand(index)
		if info, err := q.m.p.FS.Stat(path.Join(name, index)); err == nil && !info.IsDir() {
			q.redirect(uri + index) // nginx looks for the location anew
			return
		}
	}
	if q.settings.autoindex {
		q.list(uri, name)
		return
	}
	q.m.errorf("error", "*%d directory index of %q is forbidden, client: %s, server: %s, request: %q, host: %q",
		q.m.stats.requests.Load(), name+"/", q.remote(), q.serverName(), q.line(), q.r.Host)
	q.fail(http.StatusForbidden)
}

// list is autoindex.
func (q *request) list(uri, name string) {
	entries, err := q.m.p.FS.ReadDir(name)
	if err != nil {
		q.fail(http.StatusForbidden)
		return
	}
	var b strings.Builder
	title := html.EscapeString(uri)
	fmt.Fprintf(&b, "<html>\r\n<head><title>Index of %s</title></head>\r\n<body>\r\n<h1>Index of %s</h1><hr><pre><a href=\"../\">../</a>\r\n", title, title)
	for _, e := range entries {
		text, size := e.Name(), "-"
		if e.IsDir() {
			text += "/"
		}
		date := ""
		if info, err := e.Info(); err == nil {
			date = info.ModTime().UTC().Format("02-Jan-2006 15:04")
			if !e.IsDir() {
				size = fmt.Sprint(info.Size())
			}
		}
		fmt.Fprintf(&b, "<a href=\"%s\">%s</a>%s %s %19s\r\n", (&url.URL{Path: text}).String(), html.EscapeString(text),
			strings.Repeat(" ", max(0, 50-len(text))), date, size)
	}
	b.WriteString("</pre><hr></body>\r\n</html>\r\n")
	q.text(http.StatusOK, "text/html", b.String())
}

// send answers with a file: ranges and conditions included.
func (q *request) send(name, uri string) {
	file, err := q.m.p.FS.Open(name)
	if err != nil {
		q.fail(http.StatusForbidden)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		q.fail(http.StatusForbidden)
		return
	}
	h := q.w.Header()
	h.Set("Content-Type", q.contentType(uri)) // of the URI, whatever file an alias makes of it
	h.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().Unix(), info.Size()))
	if q.status == 0 {
		http.ServeContent(&ranged{writer: q.w, q: q}, q.r, name, info.ModTime(), file)
		return
	}
	// An error page is sent whole, whatever part the client asked for.
	plain := &http.Request{Method: q.method, URL: q.r.URL, Header: http.Header{}}
	http.ServeContent(&asStatus{writer: q.w, code: q.status}, plain, name, info.ModTime(), file)
}

// asStatus sends a file with another status, as an error page.
type asStatus struct {
	*writer
	code int
}

func (a *asStatus) WriteHeader(int) {
	if a.code != http.StatusOK {
		a.Header().Del("Accept-Ranges")
	}
	a.writer.WriteHeader(a.code)
}

// ranged sends a file, or a part of it, with nginx' headers; a part that is not there has nginx' page.
type ranged struct {
	*writer
	q    *request
	done bool
}

func (a *ranged) WriteHeader(code int) {
	switch code {
	case http.StatusPartialContent:
		a.Header().Del("Accept-Ranges")
	case http.StatusRequestedRangeNotSatisfiable:
		a.done = true
		for _, name := range []string{"Content-Length", "X-Content-Type-Options", "ETag", "Last-Modified", "Accept-Ranges"} {
			a.Header().Del(name)
		}
		a.q.fail(code)
		return
	}
	a.writer.WriteHeader(code)
}

func (a *ranged) Write(p []byte) (int, error) {
	if a.done { // what net/http says of it
		return len(p), nil
	}
	return a.writer.Write(p)
}

// contentType is by the extension of a name.
func (q *request) contentType(name string) string {
	if kind, ok := q.settings.types[strings.TrimPrefix(path.Ext(name), ".")]; ok {
		return kind
	}
	return q.settings.defaultType
}

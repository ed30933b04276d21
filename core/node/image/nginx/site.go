package nginx

import (
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// site serves the files below root.
type site struct {
	fs      *program.FS
	root    string
	version string
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Server", "nginx/"+s.version)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.fail(w, http.StatusMethodNotAllowed)
		return
	}
	name := path.Join(s.root, path.Clean("/"+r.URL.Path))
	info, err := s.fs.Stat(name)
	if err == nil && info.IsDir() {
		if !strings.HasSuffix(r.URL.Path, "/") {
			w.Header().Set("Location", "http://"+r.Host+r.URL.Path+"/")
			s.fail(w, http.StatusMovedPermanently)
			return
		}
		name = path.Join(name, "index.html")
		if info, err = s.fs.Stat(name); err != nil || info.IsDir() {
			s.fail(w, http.StatusForbidden)
			return
		}
	} else if err == nil && strings.HasSuffix(r.URL.Path, "/") {
		err = fs.ErrNotExist
	}
	if err != nil {
		s.fail(w, http.StatusNotFound)
		return
	}
	file, err := s.fs.Open(name)
	if err != nil {
		s.fail(w, http.StatusForbidden)
		return
	}
	defer file.Close()
	kind := mime.TypeByExtension(path.Ext(name))
	kind, _, _ = strings.Cut(kind, ";")
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().Unix(), info.Size()))
	http.ServeContent(w, r, name, info.ModTime(), file)
}

// fail writes nginx' own page for a status.
func (s *site) fail(w http.ResponseWriter, code int) {
	text := fmt.Sprintf("%d %s", code, http.StatusText(code))
	switch code {
	case http.StatusMethodNotAllowed:
		text = "405 Not Allowed"
	}
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(code)
	fmt.Fprintf(w, "<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n<center><h1>%s</h1></center>\r\n"+
		"<hr><center>nginx/%s</center>\r\n</body>\r\n</html>\r\n", text, text, s.version)
}

// accessLog writes a line for each request in the image's log format: "combined" and the
// client's X-Forwarded-For.
func accessLog(out io.Writer, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &counter{ResponseWriter: w}
		start := time.Now()
		next.ServeHTTP(c, r)
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		user, _, ok := r.BasicAuth()
		if !ok {
			user = ""
		}
		fmt.Fprintf(out, "%s - %s [%s] \"%s %s %s\" %d %d \"%s\" \"%s\" \"%s\"\n",
			host, dash(user), start.UTC().Format("02/Jan/2006:15:04:05 -0700"),
			r.Method, r.RequestURI, r.Proto, max(c.status, 200), c.bytes,
			dash(r.Referer()), dash(r.UserAgent()), dash(r.Header.Get("X-Forwarded-For")))
	})
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// counter notes what was sent.
type counter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (c *counter) WriteHeader(code int) {
	c.status = code
	c.ResponseWriter.WriteHeader(code)
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

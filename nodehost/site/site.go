package site

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
)

// types are the media types by extension. They are written down here because Go otherwise asks
// the machine, and a browser compiles WebAssembly while it loads only if the type is right.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".json": "application/json",
	".map":  "application/json",
	".wasm": "application/wasm",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".ico":  "image/x-icon",
	".txt":  "text/plain; charset=utf-8",
	".md":   "text/markdown; charset=utf-8",
	".yaml": "application/yaml",
}

// policy is what the page may do (Content-Security-Policy): scripts and WebAssembly of its own, no
// script inside of it, and connections to where it came from, which is where the hub is, too.
// index.html says the same for hosts that send no header.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'"

// outside is what the cluster's Worker may do besides: fetch what its terminal is told to, from who lets
// other pages read it (ADR 42). The page itself may not.
const outside = "connect-src 'self' https:"

// framePolicy is that of the browser view's frame (web/frame), in which pages of the cluster stand: what they bring
// runs there, on an origin of its own, and nothing is loaded from or sent to anywhere. vite.config.ts says the same.
const framePolicy = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline' blob: data:; img-src blob: data:; font-src blob: data:; media-src blob: data:; connect-src blob: data:; base-uri http: https:; form-action 'none'; sandbox allow-scripts allow-forms"

// containerPolicy is that of the frame in which Workers of containers run (web/container/frame.ts): their modules come
// from where a page has them. vite.config.ts says the same. Its script runs nothing with this site's origin in a page
// of another.
const containerPolicy = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: http: https:; worker-src 'self' data:; base-uri 'none'; form-action 'none'"

// containerFile matches the file of that frame: the page's own, and that of the SDK, which pages of others frame.
var containerFile = regexp.MustCompile(`^(page|sdk)/container-[0-9a-f]{8}\.html$`)

// embedPolicy is that of the embed page. In a sandbox it has no origin, and starts its Worker by a script of its own.
// A lesson may lie on any host; the page narrows that to the one that its address names (web/embed/frame.ts).
// web/embed/frame.html says the same.
const embedPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; connect-src 'self' https:; img-src 'self' https:; worker-src 'self' data:; base-uri 'none'; form-action 'none'"

// frameFile matches the frame's file.
var frameFile = regexp.MustCompile(`^page/frame-[0-9a-f]{8}\.html$`)

// workerScript matches the Worker's script, whose policy is that of its own response.
var workerScript = regexp.MustCompile(`^(page|sdk)/worker-[A-Za-z0-9_-]+\.js$`)

// embedded matches what any page may frame: the embed page, which does what its address says, shows it before
// it does it, and has nothing of a reader's.
var embedded = regexp.MustCompile(`^embed(/|$)`)

// policyOf is the policy of a file, with who may frame it: the page its own frame, everybody the embed page, and
// nobody anything else.
func policyOf(name string) string {
	switch {
	case frameFile.MatchString(name):
		return framePolicy + "; frame-ancestors 'self'"
	case containerFile.MatchString(name) && strings.HasPrefix(name, "sdk/"):
		return containerPolicy + "; frame-ancestors *"
	case containerFile.MatchString(name):
		return containerPolicy + "; frame-ancestors 'self'"
	case embedded.MatchString(name):
		return embedPolicy + "; frame-ancestors *"
	case workerScript.MatchString(name):
		return strings.Replace(policy, "connect-src 'self'", outside, 1) + "; frame-ancestors 'none'"
	}
	return policy + "; frame-ancestors 'none'"
}

// isolation gives the frame of containers a process of its own below a page of ours, and lets it measure what its
// Workers hold (web/cluster/measure.ts), in a browser that knows it. What it loads of other origins comes without their
// cookies. The page itself must not be isolated: it would be in the same process.
const isolation = "isolate-and-credentialless"

// hashed matches names that hold a hash of their content, such as main-Bq3x_F0a.js: they never
// change, so caches may keep them for ever.
var hashed = regexp.MustCompile(`[-.][A-Za-z0-9_-]{8,}\.(js|css|map|wasm|svg|png)$`)

// shared matches what pages of other origins may load (web/sdk): the SDK, the cluster's module and lessons. None
// of it is anybody's, and no request of a page brings it anything of a reader's.
var shared = regexp.MustCompile(`^(sdk|assets|lessons)/`)

// Site serves files from several directories laid over one another.
type Site struct{ roots []fs.FS }

var _ http.Handler = (*Site)(nil)

// New serves the files below dirs; of two files with the same path, that of the first directory.
func New(dirs []string) *Site {
	s := &Site{}
	for _, dir := range dirs {
		s.roots = append(s.roots, os.DirFS(dir))
	}
	return s
}

// ServeHTTP answers GET and HEAD; a path that ends with "/" means its index.html.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", policyOf(strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" || strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	if shared.MatchString(name) { // what is missing, too: a page is to know why
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	if containerFile.MatchString(name) {
		w.Header().Set("Document-Isolation-Policy", isolation)
	}
	root, info := s.find(name)
	if root == nil {
		http.Error(w, name+" is not part of the site", http.StatusNotFound)
		return
	}

	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Vary", "Accept-Encoding")
	header.Set("Cache-Control", cacheControl(name))
	if t := types[path.Ext(name)]; t != "" {
		header.Set("Content-Type", t)
	} else {
		header.Set("Content-Type", "application/octet-stream")
	}

	file := name
	if twin, ok := brotliTwin(root, name, info); ok && accepts(r, "br") {
		file, info = name+".br", twin
		header.Set("Content-Encoding", "br")
	}
	header.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.Size(), info.ModTime().UnixNano()))
	serveFile(w, r, root, file, info)
}

// find returns the first directory with a regular file of this name, or nil.
func (s *Site) find(name string) (fs.FS, fs.FileInfo) {
	for _, root := range s.roots {
		if info, err := fs.Stat(root, name); err == nil && info.Mode().IsRegular() {
			return root, info
		}
	}
	return nil, nil
}

// brotliTwin returns the compressed twin, unless it is older than what it was made from.
func brotliTwin(root fs.FS, name string, original fs.FileInfo) (fs.FileInfo, bool) {
	twin, err := fs.Stat(root, name+".br")
	if err != nil || !twin.Mode().IsRegular() || twin.ModTime().Before(original.ModTime()) {
		return nil, false
	}
	return twin, true
}

func serveFile(w http.ResponseWriter, r *http.Request, root fs.FS, name string, info fs.FileInfo) {
	f, err := root.Open(name)
	if err != nil {
		http.Error(w, fmt.Sprintf("open %s: %v", name, err), http.StatusInternalServerError)
		return
	}
	defer func() { _ = f.Close() }()
	// os.DirFS gives *os.File, which can seek; ServeContent answers ranges and If-None-Match.
	http.ServeContent(w, r, "", info.ModTime(), f.(*os.File))
}

func cacheControl(name string) string {
	if hashed.MatchString(name) {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

func accepts(r *http.Request, encoding string) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == encoding && strings.ReplaceAll(q, " ", "") != "q=0" {
			return true
		}
	}
	return false
}

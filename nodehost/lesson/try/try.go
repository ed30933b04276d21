package try

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
	"github.com/tabernetes/tabernetes/nodehost/lesson/killercoda"
)

// Path is where the page of lessons is on the site, and name what the one that is tried is called there.
const (
	Path = "/lessons/"
	name = "mine"
)

// types of the files that a lesson may have (lesson.Parse).
var types = map[string]string{
	".md": "text/markdown; charset=utf-8", ".yaml": "application/yaml", ".yml": "application/yaml", ".json": "application/json",
	".sh":  "text/plain; charset=utf-8", // a scenario's
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif", ".svg": "image/svg+xml",
}

// Handler serves the lesson of a folder in place of the site's own lessons.
func Handler(dir string, site http.Handler) (http.Handler, error) {
	root, err := os.OpenRoot(dir) // a link out of the folder is no file of the lesson
	if err != nil {
		return nil, fmt.Errorf("open the lesson's folder: %w", err)
	}
	files := http.StripPrefix(Path+name+"/", http.FileServerFS(root.FS()))
	mux := http.NewServeMux()
	mux.Handle("/", site)
	mux.HandleFunc("GET "+Path+"index.json", func(w http.ResponseWriter, _ *http.Request) {
		head(w, ".json")
		_ = json.NewEncoder(w).Encode([]entry{listed(dir)}) // whoever asked is gone
	})
	mux.HandleFunc("GET "+Path+name+"/", func(w http.ResponseWriter, r *http.Request) {
		if extension := path.Ext(r.URL.Path); types[extension] == "" || strings.Contains(r.URL.Path, "/.") {
			http.Error(w, "that is no file of a lesson", http.StatusNotFound)
			return
		}
		head(w, path.Ext(r.URL.Path))
		files.ServeHTTP(w, r)
	})
	return mux, nil
}

// head has nothing kept, so that a reload shows what was saved last, and nothing run, should a picture be
// opened by itself.
func head(w http.ResponseWriter, extension string) {
	w.Header().Set("Content-Type", types[extension])
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
}

// entry is a lesson in the page's list.
type entry struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Minutes     int    `json:"minutes,omitempty"`
	Nodes       int    `json:"nodes,omitempty"`
}

// listed is the lesson as it is now; the page itself says what is wrong with it.
func listed(dir string) entry {
	var l lesson.Lesson
	if killercoda.Is(dir) {
		l = killercoda.About(dir)
	} else if raw, err := lesson.File(dir, lesson.Name); err == nil {
		read, _ := lesson.Parse(raw)
		l = *read
	}
	return entry{Name: name, Title: cmp.Or(l.Title, "A lesson"), Description: l.Description, Minutes: l.Minutes, Nodes: l.Nodes}
}

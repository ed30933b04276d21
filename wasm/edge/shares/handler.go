package shares

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"time"
)

// Store keeps texts by name.
type Store interface {
	// Get returns ErrNone for a name that is not known, or no longer.
	Get(id string) (string, error)
	// Put keeps a text for a while, from now on. The same name has the same text.
	Put(id, packed string, keep time.Duration) error
}

// ErrNone says that nothing is kept under a name.
var ErrNone = errors.New("nothing is kept under this name")

// Options are what a Handler needs.
type Options struct {
	Store Store
	// Keep is for how long a text is kept after it was last shared.
	Keep time.Duration
	// Allow says whether a source (Source) may share one more text now.
	Allow func(source string) (bool, error)
}

// handler answers below /s/.
type handler struct{ Options }

// New answers GET /s/ (whether there are short addresses here), POST /s/ (keep a text) and GET /s/ID.
func New(o Options) http.Handler {
	h := handler{o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /s/{$}", h.about)
	mux.HandleFunc("POST /s/{$}", h.keep)
	mux.HandleFunc("GET /s/{id}", h.give)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		// Nothing that somebody has sent here is ever a page of this site's.
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Robots-Tag", "noindex")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

func (h handler) about(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]int{"days": h.days()})
}

func (h handler) days() int { return int(h.Keep / (24 * time.Hour)) }

// keep takes a text from the site's own page.
func (h handler) keep(w http.ResponseWriter, r *http.Request) {
	if !sameOrigin(r) {
		refuse(w, http.StatusForbidden, "Only the page of this site shares here.")
		return
	}
	if r.ContentLength > maxPacked {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("%d characters are the most.", maxPacked))
		return
	}
	allowed, err := h.Allow(Source(r))
	if err != nil {
		// Without a count there would be no bound.
		refuse(w, http.StatusServiceUnavailable, "It cannot be counted how much is shared. Try again later; the long link works.")
		return
	}
	if !allowed {
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusTooManyRequests, "Too much was shared from your network. Try again in a minute; the long link works.")
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxPacked+1))
	if err != nil {
		refuse(w, http.StatusBadRequest, "The text did not arrive whole. Try again.")
		return
	}
	if len(body) > maxPacked {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("%d characters are the most.", maxPacked))
		return
	}
	packed := string(body)
	if err := check(packed); err != nil {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("This is nothing that the page shares: %v.", err))
		return
	}
	id := nameOf(packed)
	if err := h.Store.Put(id, packed, h.Keep); err != nil {
		refuse(w, http.StatusServiceUnavailable, "It could not be kept. Try again later; the long link works.")
		return
	}
	answer(w, http.StatusCreated, map[string]any{"id": id, "days": h.days()})
}

var name = regexp.MustCompile(`^[A-Za-z0-9_-]{16}$`)

// give returns a text, or leads a person who has opened its address to the page that shows it.
func (h handler) give(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !name.MatchString(id) {
		refuse(w, http.StatusNotFound, "There is no such short link.")
		return
	}
	w.Header().Set("Vary", "Sec-Fetch-Dest")
	if r.Header.Get("Sec-Fetch-Dest") == "document" {
		w.Header().Set("Location", "../#/shared/"+id)
		w.WriteHeader(http.StatusFound)
		return
	}
	packed, err := h.Store.Get(id)
	if errors.Is(err, ErrNone) {
		refuse(w, http.StatusNotFound, fmt.Sprintf("There is no such short link: they end after %d days. Ask for a new one.", h.days()))
		return
	}
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "It cannot be read at the moment. Try again later.")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, packed)
}

// sameOrigin is false of what another site's page has sent. Programs that are no browsers say nothing of
// where they come from: the counts are for them.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == r.Host
}

func answer(w http.ResponseWriter, code int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(what)
}

func refuse(w http.ResponseWriter, code int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, why+"\n")
}

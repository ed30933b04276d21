package relay

import (
	"crypto/rand"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// Relay is a server on loopback.
type Relay struct {
	server *http.Server
	mux    *http.ServeMux
	base   string
}

// Way is where one address leads.
type Way struct {
	Target    *url.URL
	Transport http.RoundTripper
	// MaxAnswer is of one answer in bytes; what is longer is cut there.
	MaxAnswer int64
	// Answered is called for each answer; it may be nil. Failed says in its place why there is none.
	Answered func()
	Failed   func(answer http.ResponseWriter, err error)
}

// Serve serves until Close.
func Serve() (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{mux: http.NewServeMux(), base: "http://" + l.Addr().String()}
	r.server = &http.Server{
		Handler: r.mux, ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: quiet(),
	}
	go func() { _ = r.server.Serve(l) }()
	return r, nil
}

// Lead gives an address that leads on, without a slash at its end.
func (r *Relay) Lead(w Way) (address string) {
	key := "/" + rand.Text()
	r.mux.Handle(key+"/", http.StripPrefix(key, &httputil.ReverseProxy{
		Transport: w.Transport,
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(w.Target) },
		ModifyResponse: func(answer *http.Response) error {
			if w.Answered != nil {
				w.Answered()
			}
			answer.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(answer.Body, w.MaxAnswer), answer.Body}
			return nil
		},
		ErrorHandler: func(answer http.ResponseWriter, _ *http.Request, err error) { w.Failed(answer, err) },
		ErrorLog:     quiet(),
	}))
	return r.base + key
}

// Close ends all ways.
func (r *Relay) Close() { _ = r.server.Close() }

// quiet is for what Failed has told already.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

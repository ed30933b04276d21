package podinfo

import (
	"context"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// handler is every request that it answers, below the prefix.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /{$}":      s.index,
		"GET /api/info": s.info,
		"GET /version": func(w http.ResponseWriter, _ *http.Request) {
			say(w, 200, map[string]string{"version": s.version, "commit": "unknown"})
		},
		"/echo":          s.echo,
		"/echo/":         s.echo,
		"/api/echo":      s.echo,
		"/api/echo/":     s.echo,
		"GET /env":       s.env,
		"POST /env":      s.env,
		"GET /headers":   headers,
		"POST /headers":  headers,
		"GET /delay/{n}": s.delay,
		"/chunked":       s.delay,
		"/chunked/{n}":   s.delay,
		"GET /healthz":   func(w http.ResponseWriter, _ *http.Request) { state(w, s.healthy.Load()) },
		"GET /readyz":    func(w http.ResponseWriter, _ *http.Request) { state(w, s.ready.Load()) },
		"POST /readyz/{to}": func(w http.ResponseWriter, r *http.Request) {
			to := r.PathValue("to")
			if to != "enable" && to != "disable" {
				http.NotFound(w, r)
				return
			}
			s.ready.Store(to == "enable")
			w.WriteHeader(http.StatusAccepted)
		},
		"POST /fault_injection/{to}": s.setFaults,
		"GET /fault_injection/status": func(w http.ResponseWriter, _ *http.Request) {
			say(w, http.StatusOK, map[string]string{"fault_injection": switched(s.faulty.Load())})
		},
		"GET /panic":          s.panics,
		"GET /status/{code}":  status,
		"POST /status/{code}": status,
		"PUT /status/{code}":  status,
		"POST /store":         s.store,
		"PUT /store":          s.store,
		"GET /store/{hash}":   s.stored,
		"/cache/{key}": func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusBadRequest, "cache server is offline")
		},
		"GET /configs":        s.configs,
		"POST /token":         s.token,
		"GET /token/validate": s.validate,
		"/ws/echo":            s.webSocket,
	} {
		mux.HandleFunc(pattern, h)
	}
	mux.Handle("GET /metrics", s.metrics.handler())
	var h http.Handler = s.metrics.counted(mux, s.behaves(mux))
	if prefix := "/" + strings.Trim(s.prefix, "/ "); prefix != "/" {
		h = http.StripPrefix(prefix, h)
	}
	return h
}

// behaves fails and dawdles where it is told to.
func (s *server) behaves(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.level == "debug" {
			s.log.Debug("request started", request(r)...)
		}
		exempt := strings.HasPrefix(r.URL.Path, "/fault_injection") || slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, r.URL.Path)
		if s.faulty.Load() && !exempt {
			http.Error(w, `{"status":"fault injection enabled"}`, http.StatusInternalServerError)
			return
		}
		if s.delays {
			unit := time.Second
			if s.delayUnit == "ms" {
				unit = time.Millisecond
			}
			if !pause(r.Context(), time.Duration(s.delayMin+rand.IntN(max(1, s.delayMax-s.delayMin)))*unit) {
				return
			}
		}
		if s.errors && rand.IntN(3) == 0 {
			w.WriteHeader([]int{http.StatusInternalServerError, http.StatusBadRequest, http.StatusConflict}[rand.IntN(3)])
			return
		}
		next.ServeHTTP(w, r)
	})
}

// pause waits, and tells whether it came to the end.
func pause(ctx context.Context, for_ time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(for_):
		return true
	}
}

func (s *server) index(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.UserAgent(), "Mozilla") {
		s.page(w)
		return
	}
	s.info(w, r)
}

func (s *server) info(w http.ResponseWriter, _ *http.Request) {
	say(w, http.StatusOK, struct {
		Hostname     string `json:"hostname"`
		Version      string `json:"version"`
		Revision     string `json:"revision"`
		Color        string `json:"color"`
		Logo         string `json:"logo"`
		Message      string `json:"message"`
		GOOS         string `json:"goos"`
		GOARCH       string `json:"goarch"`
		Runtime      string `json:"runtime"`
		NumGoroutine string `json:"num_goroutine"`
		NumCPU       string `json:"num_cpu"`
	}{
		s.p.Hostname, s.version, "unknown", s.color, s.logo, s.message, runtime.GOOS, runtime.GOARCH, runtime.Version(),
		strconv.Itoa(runtime.NumGoroutine()), strconv.Itoa(runtime.NumCPU()),
	})
}

func (s *server) env(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, s.p.Env) }

func headers(w http.ResponseWriter, r *http.Request) { say(w, http.StatusOK, r.Header) }

// digits are what podinfo takes for a number in an address.
var digits = regexp.MustCompile(`^[0-9]+$`)

// delay answers after so many seconds; chunked without a number after 10 to 30.
func (s *server) delay(w http.ResponseWriter, r *http.Request) {
	text := r.PathValue("n")
	if text == "" {
		text = strconv.Itoa(10 + rand.IntN(max(2, int(s.serverTimeout/time.Second)-10)))
	}
	if !digits.MatchString(text) {
		http.NotFound(w, r)
		return
	}
	seconds, err := strconv.Atoi(text)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if pause(r.Context(), time.Duration(min(seconds, 1<<30))*time.Second) {
		say(w, http.StatusOK, map[string]int{"delay": seconds})
	}
}

// status answers with the code that is asked for.
func status(w http.ResponseWriter, r *http.Request) {
	text := r.PathValue("code")
	if !digits.MatchString(text) {
		http.NotFound(w, r)
		return
	}
	code, err := strconv.Atoi(text)
	if err != nil || code < 200 || code > 999 { // what net/http cannot write as an answer
		refuse(w, http.StatusBadRequest, strconv.Quote(text)+" is no status of an answer")
		return
	}
	say(w, code, map[string]int{"status": code})
}

func (s *server) setFaults(w http.ResponseWriter, r *http.Request) {
	to := r.PathValue("to")
	if to != "enable" && to != "disable" {
		http.NotFound(w, r)
		return
	}
	s.faulty.Store(to == "enable")
	say(w, http.StatusAccepted, map[string]string{"fault_injection": to + "d"})
}

func switched(on bool) string {
	if on {
		return "enabled"
	}
	return "disabled"
}

// state is the answer to a probe.
func state(w http.ResponseWriter, well bool) {
	if well {
		say(w, http.StatusOK, map[string]string{"status": "OK"})
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

func (s *server) panics(http.ResponseWriter, *http.Request) {
	s.log.Info("Panic command received")
	s.die(exitCode(255))
}

package podinfo

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"sync"

	"go.uber.org/zap"
)

// Bounds, in bytes: of what is sent to it, and of what a backend or a file of its configuration says.
const (
	maxBody  = 1 << 20
	maxFiles = 100
)

// say answers in JSON, indented.
func say(w http.ResponseWriter, code int, v any) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = w.Write(body) // who has asked may have gone
}

// refuse says why there is no answer. Its status is 200, as it is upstream's; the code stands in the body.
func refuse(w http.ResponseWriter, code int, message string) {
	say(w, http.StatusOK, struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{code, message})
}

func request(r *http.Request) []zap.Field {
	return []zap.Field{
		zap.String("proto", r.Proto), zap.String("uri", r.RequestURI), zap.String("method", r.Method),
		zap.String("remote", r.RemoteAddr), zap.String("user-agent", r.UserAgent()),
	}
}

// body reads what was sent, and answers if that cannot be.
func body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, "request body too large")
	case err != nil:
		refuse(w, http.StatusBadRequest, "invalid request body")
	}
	return data, err == nil
}

// echo answers with what was sent, or what each backend makes of it.
func (s *server) echo(w http.ResponseWriter, r *http.Request) {
	data, ok := body(w, r)
	if !ok {
		return
	}
	w.Header().Set("X-Color", s.color)
	if len(s.backends) == 0 {
		raw(w, data)
		return
	}
	said := make([]string, len(s.backends))
	var all sync.WaitGroup
	for i, backend := range s.backends {
		all.Go(func() {
			var err error
			if said[i], err = s.ask(r, backend, data); err != nil {
				s.log.Error("backend call failed", zap.Error(err), zap.String("url", backend))
				said[i] = fmt.Sprintf("backend %v %v", backend, err)
			}
		})
	}
	all.Wait()
	say(w, http.StatusOK, said)
}

// passed are the headers by which a trace is followed from one service to the next.
var passed = []string{"x-request-id", "x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid", "x-b3-sampled", "x-b3-flags", "x-ot-span-context"}

func (s *server) ask(r *http.Request, backend string, data []byte) (string, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.clientTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, backend, bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("call failed %w", err)
	}
	for _, name := range passed {
		if value := r.Header.Get(name); value != "" {
			req.Header.Set(name, value)
		}
	}
	req.Header.Set("X-API-Version", s.version)
	resp, err := s.client.Do(req)
	if err != nil {
		return "", fmt.Errorf("call failed %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return "", fmt.Errorf("response status code %d", resp.StatusCode)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	return string(answer), err
}

// raw answers with somebody's own bytes, which no browser is to take for a page.
func raw(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write(data)
}

// store writes what was sent to the volume, under its own sum.
func (s *server) store(w http.ResponseWriter, r *http.Request) {
	data, ok := body(w, r)
	if !ok {
		return
	}
	sum := sha1.Sum(data)
	hash := hex.EncodeToString(sum[:])
	if err := s.p.FS.WriteFile(path.Join(s.data, hash), data, 0o644); err != nil {
		s.log.Warn("writing file failed", zap.Error(err))
		refuse(w, http.StatusInternalServerError, "writing file failed")
		return
	}
	say(w, http.StatusAccepted, map[string]string{"hash": hash})
}

var validHash = regexp.MustCompile(`^[a-f0-9]{40}$`)

func (s *server) stored(w http.ResponseWriter, r *http.Request) {
	hash := r.PathValue("hash")
	if !validHash.MatchString(hash) {
		refuse(w, http.StatusBadRequest, "invalid hash")
		return
	}
	data, err := s.p.FS.ReadFile(path.Join(s.data, hash))
	if err != nil {
		s.log.Warn("reading file failed", zap.Error(err))
		refuse(w, http.StatusInternalServerError, "reading file failed")
		return
	}
	raw(w, data)
}

// configs are the files of --config-path: those of a ConfigMap, as they are now.
func (s *server) configs(w http.ResponseWriter, _ *http.Request) {
	files := map[string]string{}
	if s.config != "" {
		entries, err := s.p.FS.ReadDir(s.config)
		if err != nil {
			s.log.Error("config watch error", zap.Error(err), zap.String("path", s.config))
		}
		for _, e := range entries[:min(len(entries), maxFiles)] {
			name := path.Join(s.config, e.Name())
			info, err := s.p.FS.Stat(name)
			if err != nil || !info.Mode().IsRegular() || info.Size() > maxBody {
				continue
			}
			if data, err := s.p.FS.ReadFile(name); err == nil {
				files[e.Name()] = string(data)
			}
		}
	}
	say(w, http.StatusOK, files)
}

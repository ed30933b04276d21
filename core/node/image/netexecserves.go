package image

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// netexec is what its flags say of it (upstream's test/images/agnhost/netexec).
type netexec struct {
	httpPort, udpPort int
	certFile, keyFile string
	override          string
	delay             time.Duration
}

// run serves until it is told to end, which is a while before it does if delay says so.
func (n netexec) run(ctx context.Context, p *program.Process) int {
	ctx, told, stop := toldBefore(ctx, p, n.delay)
	defer stop()
	var config *tls.Config
	if n.certFile != "" {
		pair, err := keyPair(p.FS, n.certFile, n.keyFile)
		if err != nil {
			fmt.Fprintln(p.Stderr, err)
			return 1
		}
		config = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if n.udpPort != -1 {
		if err := netexecDatagrams(ctx, p, n.udpPort); err != nil {
			fmt.Fprintln(p.Stderr, err)
			return 1
		}
	}
	fmt.Fprintf(p.Stderr, "%s Started HTTP server on port %d\n", time.Now().Format(klogTime), n.httpPort)
	if n.udpPort != -1 {
		fmt.Fprintf(p.Stderr, "%s Started UDP server on port  %d\n", time.Now().Format(klogTime), n.udpPort)
	}
	ending, end := context.WithCancelCause(ctx)
	defer end(nil)
	mux := agnhostNetexec(p, end)
	netexecTells(mux, n.httpPort, told)
	var h http.Handler = mux
	if n.override != "" {
		h = overriding(mux, n.override)
	}
	code := serveSecured(ending, p, n.httpPort, config, logged(p.Stderr, h))
	var asked exitCode
	if errors.As(context.Cause(ending), &asked) {
		return int(asked)
	}
	return code
}

// toldBefore is ctx until a while after SIGTERM, or SIGINT; told is closed at once.
func toldBefore(ctx context.Context, p *program.Process, while time.Duration) (_ context.Context, told <-chan struct{}, stop context.CancelFunc) {
	after, end := context.WithCancel(ctx)
	first, stopListening := UntilTold(after, p)
	go func() {
		<-first.Done()
		select {
		case <-after.Done():
		case <-time.After(while):
		}
		end()
	}()
	return after, first.Done(), func() { stopListening(); end() }
}

// keyPair reads a certificate and its key; where the key's file is not named, it is the certificate's.
func keyPair(fsys *program.FS, certFile, keyFile string) (tls.Certificate, error) {
	if keyFile == "" {
		keyFile = certFile
	}
	cert, err := fsys.ReadFile(certFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := fsys.ReadFile(keyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%s and %s: %w", certFile, keyFile, err)
	}
	return pair, nil
}

// overriding answers every request as if it were a GET of one path.
func overriding(h http.Handler, path string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		as, err := http.NewRequestWithContext(r.Context(), http.MethodGet, path, nil)
		if err != nil {
			http.Error(w, fmt.Sprintf("override request failed: %v", err), http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, as)
	})
}

// netexecTells are the requests about the server itself.
func netexecTells(mux *http.ServeMux, port int, told <-chan struct{}) {
	mux.HandleFunc("/serverport", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, port) })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-told: // alive, and not to be sent requests any more
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, "shutting down")
		default:
			fmt.Fprint(w, "ok")
		}
	})
}

// uploads is where netexec puts what it is given, and maxUpload how much of it, in bytes.
const (
	uploads   = "/uploads"
	maxUpload = 8 << 20
)

// netexecUpload keeps the file of a form.
func netexecUpload(p *program.Process) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
		name, failed := upload(p.FS, r)
		said := map[string]string{"error": failed}
		if failed == "" {
			said = map[string]string{"output": name}
			w.WriteHeader(http.StatusCreated)
		}
		_ = json.NewEncoder(w).Encode(said) // who does not read it has gone
	}
}

func upload(fsys *program.FS, r *http.Request) (name, failed string) {
	// As a stream: what is not in memory would be in a file of the machine's.
	parts, err := r.MultipartReader()
	if err != nil {
		return "", "Unable to upload file."
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return "", "Unable to upload file."
		}
		if part.FormName() != "file" || part.FileName() == "" {
			continue
		}
		if err := fsys.MkdirAll(uploads, 0o777); err != nil {
			return "", "Unable to open file for write"
		}
		name = fmt.Sprintf("%s/upload%010d", uploads, rand.Uint32())
		f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
		if err != nil {
			return "", "Unable to open file for write"
		}
		_, err = io.Copy(f, part)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = fsys.Remove(name) // half a file is none
			return "", "Unable to write file."
		}
		return name, ""
	}
}

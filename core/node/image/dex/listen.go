package dex

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxHead bounds a request's headers, in bytes; patience how long it and its answer may take.
const (
	maxHead  = 16 << 10
	patience = time.Minute
)

// errTold is that a signal has ended it.
var errTold = errors.New("received signal")

// told is err, unless it was told to end.
func told(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errTold) || errors.Is(cause, context.Canceled) {
		return nil
	}
	return err
}

// untilTold is done at a signal that ends it; stop ends it for another reason.
func untilTold(ctx context.Context, p *program.Process, log *slog.Logger) (_ context.Context, stop context.CancelCauseFunc) {
	ctx, stop = context.WithCancelCause(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case sig := <-p.Signals:
				if sig == program.SIGTERM || sig == program.SIGINT {
					log.Info("shutdown now", "err", errTold)
					stop(errTold)
				}
			}
		}
	}()
	return ctx, stop
}

// listen serves at an address until ctx is done. What ends it before ends all, by stop.
func listen(ctx context.Context, p *program.Process, stop context.CancelCauseFunc, at string, secured *tls.Config, h http.Handler) error {
	ln, err := p.Net.Listen(ctx, "tcp", at)
	if err != nil {
		return err
	}
	if secured != nil {
		ln = tls.NewListener(ln, secured)
	}
	hs := &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		ReadHeaderTimeout: patience, ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: 2 * patience, MaxHeaderBytes: maxHead,
	}
	context.AfterFunc(ctx, func() { _ = hs.Close() })
	go func() {
		if err := hs.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			stop(fmt.Errorf("serve at %s: %w", at, err))
		}
	}()
	return nil
}

// pair is a certificate and its key, as files that may be replaced: a Secret is.
type pair struct {
	p         *program.Process
	cert, key string

	mu     sync.Mutex
	texts  [2][]byte
	parsed *tls.Certificate
}

// read gives what the files have; they are parsed when they have changed.
func (f *pair) read() (*tls.Certificate, error) {
	cert, err := f.p.FS.ReadFile(f.p.Path(f.cert))
	if err != nil {
		return nil, err
	}
	key, err := f.p.FS.ReadFile(f.p.Path(f.key))
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.parsed != nil && bytes.Equal(cert, f.texts[0]) && bytes.Equal(key, f.texts[1]) {
		return f.parsed, nil
	}
	both, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	f.texts, f.parsed = [2][]byte{cert, key}, &both
	return f.parsed, nil
}

// security reads certificate and key; what replaces them later is taken by the next connection.
func security(p *program.Process, c *config) (*tls.Config, error) {
	files := &pair{p: p, cert: c.Web.TLSCert, key: c.Web.TLSKey}
	if _, err := files.read(); err != nil {
		return nil, err
	}
	versions := map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}
	return &tls.Config{
		MinVersion: max(versions[c.Web.TLSMinVersion], tls.VersionTLS12), MaxVersion: versions[c.Web.TLSMaxVersion],
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			now, err := files.read()
			if err != nil { // between two files, or none at all: the old ones go on
				files.mu.Lock()
				defer files.mu.Unlock()
				return files.parsed, nil
			}
			return now, nil
		},
	}, nil
}

// logger writes lines as dex does.
func logger(p *program.Process, c *config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Logger.Level}
	if strings.EqualFold(c.Logger.Format, "json") {
		return slog.New(slog.NewJSONHandler(p.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(p.Stderr, options))
}

package podinfo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/tabernetes/tabernetes/core/program"
)

// Version is what a tag without a version stands for.
const Version = "6.9.2"

// VersionFile says, in the image, which of its versions it is.
const VersionFile = "/home/app/.version"

// ending is how long it still answers after it was told to end, so that whoever routes to it can hear of that; at
// --level=debug it does not wait, as upstream has it.
const ending = 3 * time.Second

// server is one podinfo.
type server struct {
	options
	p       *program.Process
	version string
	log     *zap.Logger
	metrics *metrics
	client  *http.Client

	healthy, ready, faulty atomic.Bool
	// die is called with an exit code, by whoever asks it to panic.
	die context.CancelCauseFunc
}

// exitCode is why it ends, if somebody has asked for that.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Main is podinfo.
func Main(ctx context.Context, p *program.Process) int {
	version := Version
	if data, err := p.FS.ReadFile(VersionFile); err == nil {
		version = strings.TrimSpace(string(data))
	}
	o, asked, err := read(p, version)
	if err != nil {
		fmt.Fprintf(p.Stderr, "Error: %v\n", err)
		return 2
	}
	if asked {
		fmt.Fprintln(p.Stdout, version)
		return 0
	}
	ctx, die := context.WithCancelCause(ctx)
	defer die(nil)
	s := &server{options: o, p: p, version: version, log: logger(p, o.level), metrics: newMetrics(), die: die}
	s.client = &http.Client{Timeout: o.clientTimeout, Transport: &http.Transport{DialContext: p.Net.Dial, DisableKeepAlives: true}}
	s.log.Info("Starting podinfo", zap.String("version", version), zap.String("port", strconv.Itoa(o.port)))
	for _, absent := range []struct{ set, what string }{
		{o.cache, "--cache-server has no effect in a tab: /cache is offline"},
		{o.tracing, "--otel-service-name has no effect in a tab: there is no OpenTelemetry"},
	} {
		if absent.set != "" {
			s.log.Warn(absent.what)
		}
	}
	s.stress(ctx)
	if err := s.serve(ctx, die); err != nil {
		s.log.Error("HTTP server crashed", zap.Error(err))
		return 1
	}
	s.healthy.Store(!o.unhealthy)
	s.ready.Store(!o.unready)
	s.untilTold(ctx)
	var code exitCode
	if errors.As(context.Cause(ctx), &code) {
		return int(code)
	}
	return 0
}

// logger writes lines of JSON as podinfo does.
func logger(p *program.Process, level string) *zap.Logger {
	at := zapcore.InfoLevel
	_ = at.Set(level) // upstream's takes no level for info, too
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{
		TimeKey: "ts", LevelKey: "level", MessageKey: "msg", EncodeLevel: zapcore.LowercaseLevelEncoder,
		EncodeTime: zapcore.ISO8601TimeEncoder, EncodeDuration: zapcore.SecondsDurationEncoder,
	}), zapcore.AddSync(p.Stderr), at))
}

// serve begins to listen wherever it is told. What ends a server ends all, by die.
func (s *server) serve(ctx context.Context, die context.CancelCauseFunc) error {
	handler := s.handler()
	if s.port != 0 {
		if err := s.listen(ctx, die, s.port, handler, nil); err != nil {
			return err
		}
		s.log.Info("Starting HTTP Server.", zap.String("addr", fmt.Sprintf("%s:%d", s.host, s.port)))
	}
	if s.secure != 0 {
		pair, err := s.certificate()
		if err != nil {
			return err
		}
		if err := s.listen(ctx, die, s.secure, handler, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}); err != nil {
			return err
		}
		s.log.Info("Starting HTTPS Server.", zap.String("addr", fmt.Sprintf("%s:%d", s.host, s.secure)))
	}
	if s.options.metrics > 0 {
		mux := http.NewServeMux()
		mux.Handle("/metrics", s.metrics.handler())
		mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "OK") })
		if err := s.listen(ctx, die, s.options.metrics, mux, nil); err != nil {
			return err
		}
	}
	if s.grpc > 0 {
		return s.serveHealth(ctx)
	}
	return nil
}

func (s *server) listen(ctx context.Context, die context.CancelCauseFunc, port int, h http.Handler, secured *tls.Config) error {
	ln, err := s.p.Net.Listen(ctx, "tcp", net.JoinHostPort(s.host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	hs := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer s.p.Cgroup.Busy()()
			h.ServeHTTP(w, r)
		}),
		BaseContext: func(net.Listener) context.Context { return ctx }, TLSConfig: secured,
		ReadHeaderTimeout: time.Minute, ReadTimeout: s.serverTimeout, WriteTimeout: s.serverTimeout, IdleTimeout: 2 * s.serverTimeout, MaxHeaderBytes: 64 << 10,
	}
	context.AfterFunc(ctx, func() { _ = hs.Close() })
	go func() {
		var err error
		if secured == nil {
			err = hs.Serve(ln)
		} else {
			err = hs.ServeTLS(ln, "", "")
		}
		if !errors.Is(err, http.ErrServerClosed) && ctx.Err() == nil {
			s.log.Error("HTTP server crashed", zap.Error(err))
			die(exitCode(1))
		}
	}()
	return nil
}

// serveHealth serves gRPC's health service, of whatever name probes ask for.
func (s *server) serveHealth(ctx context.Context) error {
	ln, err := s.p.Net.Listen(ctx, "tcp", net.JoinHostPort(s.host, strconv.Itoa(s.grpc)))
	if err != nil {
		return err
	}
	gs := newHealth(s.grpcService)
	context.AfterFunc(ctx, gs.Stop)
	go func() { _ = gs.Serve(ln) }() // it ends with ctx
	s.log.Info("Starting GRPC Server.", zap.String("addr", fmt.Sprintf(":%d", s.grpc)))
	return nil
}

// newHealth serves gRPC's health service, in which the named one is serving.
func newHealth(service string) *grpc.Server {
	gs, checks := grpc.NewServer(), health.NewServer()
	checks.SetServingStatus(service, grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(gs, checks)
	return gs
}

// certificate reads what a Secret of kubernetes.io/tls mounts.
func (s *server) certificate() (tls.Certificate, error) {
	cert, err := s.p.FS.ReadFile(path.Join(s.certs, "tls.crt"))
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := s.p.FS.ReadFile(path.Join(s.certs, "tls.key"))
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

// untilTold waits for a signal to end, and says by its probes that it does before it ends.
func (s *server) untilTold(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case sig := <-s.p.Signals:
			if sig != program.SIGTERM && sig != program.SIGINT {
				continue
			}
			s.healthy.Store(false)
			s.ready.Store(false)
			s.log.Info("Shutting down HTTP/HTTPS server", zap.Duration("timeout", s.shutdownTimeout))
			if s.level != "debug" {
				select {
				case <-time.After(ending):
				case <-ctx.Done():
				}
			}
			return
		}
	}
}

// stress uses processor time, and memory on the container's account only: the tab has to have room for what
// pods do, not for what they pretend.
func (s *server) stress(ctx context.Context) {
	for range min(s.stressCPU, 8) {
		go func() {
			x := 1.0
			for paced := program.Yield(ctx); paced.Err() == nil; {
				for range 10_000 {
					x += math.Sqrt(x)
				}
			}
		}()
	}
	if s.stressMem > 0 {
		held := s.p.Memory()
		if held.Set(int64(s.stressMem)*1_000_000) == nil {
			s.log.Info("starting MEMORY stress", zap.Int("memory", s.stressMem*1_000_000))
			context.AfterFunc(ctx, held.Free)
		}
	}
}

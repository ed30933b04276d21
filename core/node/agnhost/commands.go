package agnhost

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/test/images/agnhost/crd-conversion-webhook/converter"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
)

// Commands are the commands by name, for image.Builtins.
func Commands() map[string]program.Program {
	conversion := http.NewServeMux()
	conversion.HandleFunc("/crdconvert", converter.ServeExampleConvert)
	return map[string]program.Program{
		"webhook":                serve(admission()),
		"crd-conversion-webhook": serve(conversion),
		"grpc-health-checking":   health,

		"test-service-account-issuer-discovery": issuer,
	}
}

// serve is a program that answers with h, and "ok" under /readyz, by TLS until SIGTERM or SIGINT.
// Its flags are those of upstream's commands.
func serve(h *http.ServeMux) program.Program {
	h.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	return func(ctx context.Context, p *program.Process) int {
		flags := pflag.NewFlagSet(p.Args[0], pflag.ContinueOnError)
		flags.ParseErrorsAllowlist.UnknownFlags = true
		flags.SetOutput(p.Stderr)
		cert := flags.String("tls-cert-file", "", "")
		key := flags.String("tls-private-key-file", "", "")
		port := flags.Int("port", 443, "")
		err := flags.Parse(p.Args[1:])
		if err == nil {
			err = serveTLS(ctx, p, h, *cert, *key, *port)
		}
		if err != nil {
			fmt.Fprintf(p.Stderr, "%s: %v\n", p.Args[0], err)
			return 1
		}
		return 0
	}
}

func serveTLS(ctx context.Context, p *program.Process, h http.Handler, certFile, keyFile string, port int) error {
	cert, err := read(p, certFile)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	key, err := read(p, keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate's key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("use the certificate %s: %w", certFile, err)
	}
	ctx, stop := image.UntilTold(ctx, p)
	defer stop()
	ln, err := p.Net.Listen(ctx, "tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return fmt.Errorf("listen on port %d: %w", port, err)
	}
	server := &http.Server{
		Handler:     h,
		ErrorLog:    log.New(p.Stderr, "", log.LstdFlags),
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		BaseContext: func(net.Listener) context.Context { return ctx },

		ReadHeaderTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	// A request that waits for ever (upstream's "wait-forever") keeps its goroutine: upstream's
	// handler asks no context. Its connection is gone with the pod.
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ServeTLS(ln, "", ""); ctx.Err() == nil {
		return fmt.Errorf("serve port %d: %w", port, err)
	}
	return nil
}

func read(p *program.Process, name string) ([]byte, error) {
	f, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

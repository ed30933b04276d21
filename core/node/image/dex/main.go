package dex

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// Version is what a tag without a version stands for.
const Version = "v2.45.1"

// VersionFile says, in the image, which of its versions it is.
const VersionFile = "/usr/local/src/dex/.version"

const usage = `Usage:
  dex [command]

Available Commands:
  serve       Launch Dex
  version     Print the version and exit
`

// Main is dex. It ends with 2 where dex does: for whatever is wrong before it serves.
func Main(ctx context.Context, p *program.Process) int {
	command := ""
	if len(p.Args) > 1 {
		command = p.Args[1]
	}
	var err error
	switch command {
	case "serve":
		err = serve(ctx, p, p.Args[2:])
	case "version":
		fmt.Fprintf(p.Stdout, "Dex Version: %s\nGo Version: %s\nGo OS/ARCH: %s %s\n", version(p), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	case "", "help", "-h", "--help":
		fmt.Fprint(p.Stdout, usage)
		if command == "" {
			return 2
		}
	default:
		err = fmt.Errorf("unknown command %q for \"dex\"", command)
	}
	if errors.Is(err, pflag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 2
	}
	return 0
}

func version(p *program.Process) string {
	if data, err := p.FS.ReadFile(VersionFile); err == nil {
		return strings.TrimSpace(string(data))
	}
	return Version
}

// serve serves until it is told to end.
func serve(ctx context.Context, p *program.Process, args []string) error {
	flags := pflag.NewFlagSet("dex serve", pflag.ContinueOnError)
	flags.SetOutput(p.Stderr)
	insecure := flags.String("web-http-addr", "", "Web HTTP address")
	secure := flags.String("web-https-addr", "", "Web HTTPS address")
	telemetry := flags.String("telemetry-addr", "", "Telemetry address")
	_ = flags.String("grpc-addr", "", "gRPC API address: not here")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("accepts 1 arg(s), received %d: dex serve CONFIG.yaml", flags.NArg())
	}
	c, err := load(p, flags.Arg(0), func(c *config) {
		for _, one := range []struct {
			to   *string
			flag string
		}{{&c.Web.HTTP, *insecure}, {&c.Web.HTTPS, *secure}, {&c.Telemetry.HTTP, *telemetry}} {
			if one.flag != "" {
				*one.to = one.flag
			}
		}
	})
	if err != nil {
		return err
	}
	log := logger(p, c)
	log.Info("Version info", "dex_version", version(p))
	log.Info("config issuer", "issuer", c.Issuer)
	for _, words := range c.absent() {
		log.Warn(words)
	}
	for _, one := range c.StaticClients {
		log.Info("config static client", "client_name", one.Name)
	}
	log.Info("config connector: local passwords enabled", "passwords", len(c.StaticPasswords))

	var secured *tls.Config
	if c.Web.HTTPS != "" {
		if secured, err = security(p, c); err != nil {
			return fmt.Errorf("invalid config: get HTTP TLS: load TLS config: loading TLS keypair: %w", err)
		}
	}
	ctx, stop := untilTold(ctx, p, log)
	defer stop(nil)
	log.Info("making a key for signatures")
	k, err := newKey(ctx, c.Signer.Config.Algorithm)
	if err != nil {
		return told(ctx, err)
	}
	s := newServer(p, c, log, k)
	health := http.NewServeMux()
	for _, path := range []string{"/healthz", "/healthz/live", "/healthz/ready"} {
		health.HandleFunc("GET "+path, healthy)
	}
	for _, one := range []struct {
		name, at string
		secured  *tls.Config
		handler  http.Handler
	}{{"telemetry", c.Telemetry.HTTP, nil, health}, {"http", c.Web.HTTP, nil, s.handler()}, {"https", c.Web.HTTPS, secured, s.handler()}} {
		if one.at == "" {
			continue
		}
		log.Info("listening on", "server", one.name, "address", one.at)
		if err := listen(ctx, p, stop, one.at, one.secured, one.handler); err != nil {
			return told(ctx, fmt.Errorf("listening (%s) on %s: %w", one.name, one.at, err))
		}
	}
	<-ctx.Done()
	return told(ctx, context.Cause(ctx))
}

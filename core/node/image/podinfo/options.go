package podinfo

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// options are what flags and variables say.
type options struct {
	host, prefix           string
	port, secure, metrics  int
	grpc                   int
	grpcService, level     string
	backends               []string
	clientTimeout          time.Duration
	serverTimeout          time.Duration
	shutdownTimeout        time.Duration
	data, config, certs    string
	logo, color, message   string
	delays, errors         bool
	delayUnit              string
	delayMin, delayMax     int
	unhealthy, unready     bool
	stressCPU, stressMem   int
	cache, secret, tracing string
}

// read takes the flags, and for those that are not given the variables: PODINFO_UI_COLOR is --ui-color.
func read(p *program.Process, version string) (o options, asked bool, err error) {
	flags := pflag.NewFlagSet("podinfo", pflag.ContinueOnError)
	flags.SetOutput(p.Stderr)
	flags.StringVar(&o.host, "host", "", "Host to bind service to")
	flags.StringVar(&o.prefix, "prefix", "/", "URL path prefix for HTTP routes")
	flags.IntVar(&o.port, "port", 9898, "HTTP port to bind service to")
	flags.IntVar(&o.secure, "secure-port", 0, "HTTPS port")
	flags.IntVar(&o.metrics, "port-metrics", 0, "metrics port")
	flags.IntVar(&o.grpc, "grpc-port", 0, "gRPC port, of its health service")
	flags.StringVar(&o.grpcService, "grpc-service-name", "podinfo", "gRPC service name")
	flags.StringVar(&o.level, "level", "info", "log level debug, info, warn or error")
	flags.StringSliceVar(&o.backends, "backend-url", nil, "backend service URL")
	flags.DurationVar(&o.clientTimeout, "http-client-timeout", 2*time.Minute, "client timeout duration")
	flags.DurationVar(&o.serverTimeout, "http-server-timeout", 30*time.Second, "server read and write timeout duration")
	flags.DurationVar(&o.shutdownTimeout, "server-shutdown-timeout", 5*time.Second, "server graceful shutdown timeout duration")
	flags.StringVar(&o.data, "data-path", "/data", "data local path")
	flags.StringVar(&o.config, "config-path", "", "config dir path")
	flags.StringVar(&o.certs, "cert-path", "/data/cert", "certificate path for HTTPS port")
	flags.StringVar(&o.logo, "ui-logo", "", "UI logo")
	flags.StringVar(&o.color, "ui-color", "#34577c", "UI color")
	flags.StringVar(&o.message, "ui-message", "greetings from podinfo v"+version, "UI message")
	flags.BoolVar(&o.delays, "random-delay", false, "between 0 and 5 seconds random delay by default")
	flags.StringVar(&o.delayUnit, "random-delay-unit", "s", "either s(seconds) or ms(milliseconds")
	flags.IntVar(&o.delayMin, "random-delay-min", 0, "min for random delay: 0 by default")
	flags.IntVar(&o.delayMax, "random-delay-max", 5, "max for random delay: 5 by default")
	flags.BoolVar(&o.errors, "random-error", false, "1/3 chances of a random response error")
	flags.BoolVar(&o.unhealthy, "unhealthy", false, "when set, healthy state is never reached")
	flags.BoolVar(&o.unready, "unready", false, "when set, ready state is never reached")
	flags.IntVar(&o.stressCPU, "stress-cpu", 0, "number of CPU cores with 100 load")
	flags.IntVar(&o.stressMem, "stress-memory", 0, "MB of data to load into memory")
	flags.StringVar(&o.cache, "cache-server", "", "Redis address: not here")
	flags.StringVar(&o.secret, "jwt-secret", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "key of tokens")
	flags.StringVar(&o.tracing, "otel-service-name", "", "OpenTelemetry: not here")
	flags.Bool("h2c", false, "allow upgrading to H2C: not here")
	flags.String("config", "config.yaml", "config file name: not read here")
	flags.String("ui-path", "./ui", "UI local path: not read here")
	printVersion := flags.BoolP("version", "v", false, "get version number")
	if err := flags.Parse(p.Args[1:]); err != nil {
		return o, false, err
	}
	flags.VisitAll(func(f *pflag.Flag) {
		value := p.Getenv("PODINFO_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
		// A Service of that name has every pod of its namespace get PODINFO_PORT=tcp://…
		if f.Name == "port" && strings.Contains(value, "://") {
			value = ""
		}
		if !f.Changed && value != "" && f.Name != "version" && err == nil {
			if err = f.Value.Set(value); err != nil {
				err = fmt.Errorf("invalid value %q for --%s in the environment: %w", value, f.Name, err)
			}
		}
	})
	if err == nil && o.delayMax < o.delayMin {
		err = fmt.Errorf("`--random-delay-max` should be greater than `--random-delay-min`")
	}
	if err == nil && o.delayUnit != "s" && o.delayUnit != "ms" {
		err = fmt.Errorf("`random-delay-unit` accepted values are: s|ms")
	}
	for _, port := range []int{o.port, o.secure, o.metrics, o.grpc} {
		if err == nil && (port < 0 || port > 65535) {
			err = fmt.Errorf("%d is no port", port)
		}
	}
	return o, *printVersion, err
}

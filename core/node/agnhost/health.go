package agnhost

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	grpchealthchecking "k8s.io/kubernetes/test/images/agnhost/grpc-health-checking"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
)

// health answers gRPC's health checks by upstream's own service until SIGTERM or SIGINT: always
// SERVING, for the service without a name. The flags that change that are not there.
func health(ctx context.Context, p *program.Process) int {
	flags := pflag.NewFlagSet(p.Args[0], pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.SetOutput(p.Stderr)
	port := flags.Int("port", 5000, "")
	if err := flags.Parse(p.Args[1:]); err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v\n", p.Args[0], err)
		return 1
	}
	ctx, stop := image.UntilTold(ctx, p)
	defer stop()
	ln, err := p.Net.Listen(ctx, "tcp", fmt.Sprintf(":%d", *port))
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: listen on port %d: %v\n", p.Args[0], *port, err)
		return 1
	}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, grpchealthchecking.NewHealthChecker(time.Now()))
	defer context.AfterFunc(ctx, server.Stop)()
	if err := server.Serve(ln); err != nil && ctx.Err() == nil {
		fmt.Fprintf(p.Stderr, "%s: serve port %d: %v\n", p.Args[0], *port, err)
		return 1
	}
	return 0
}

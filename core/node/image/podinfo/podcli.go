package podinfo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/spf13/pflag"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/tabernetes/tabernetes/core/program"
)

// check is one question of podcli's.
type check struct {
	p                     *program.Process
	address               string
	method, body, service string
}

var checks = map[string]func(context.Context, check) ([]zap.Field, error){
	"http": checkHTTP, "tcp": checkTCP, "grpc": checkGRPC, "ws": checkWebSocket,
}

// CLI is podcli, by which podinfo's own manifests probe it: `podcli check http localhost:9898/healthz`.
func CLI(ctx context.Context, p *program.Process) int {
	usage := func() int {
		fmt.Fprintln(p.Stderr, "Usage: podcli check http|tcp|grpc|ws ADDRESS, podcli version\nIn a tab podcli has these alone.")
		return 1
	}
	if len(p.Args) > 1 && p.Args[1] == "version" {
		fmt.Fprintln(p.Stdout, Version)
		return 0
	}
	if len(p.Args) < 3 || p.Args[1] != "check" || checks[p.Args[2]] == nil {
		return usage()
	}
	c := check{p: p}
	flags := pflag.NewFlagSet("podcli check "+p.Args[2], pflag.ContinueOnError)
	flags.SetOutput(p.Stderr)
	retries := flags.Int("retry", 0, "times to retry")
	delay := flags.Duration("delay", time.Second, "wait duration between retries")
	timeout := flags.Duration("timeout", 5*time.Second, "timeout")
	flags.StringVar(&c.method, "method", http.MethodGet, "HTTP method")
	flags.StringVar(&c.body, "body", "", "HTTP POST/PUT content")
	flags.StringVar(&c.service, "service", "", "gRPC service name")
	if err := flags.Parse(p.Args[3:]); err != nil || flags.NArg() != 1 {
		return usage()
	}
	c.address = flags.Arg(0)
	log := logger(p, "info")
	for n := 0; n <= *retries; n++ {
		if n > 0 && !pause(ctx, *delay) {
			break
		}
		each, cancel := context.WithTimeout(ctx, *timeout)
		fields, err := checks[p.Args[2]](each, c)
		cancel()
		fields = append([]zap.Field{zap.String("address", c.address)}, fields...)
		if err == nil {
			log.Info("check succeed", fields...)
			return 0
		}
		log.Info("check failed", append(fields, zap.Error(err))...)
	}
	return 1
}

func checkHTTP(ctx context.Context, c check) ([]zap.Field, error) {
	address := c.address
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		address = "http://" + address
	}
	req, err := http.NewRequestWithContext(ctx, c.method, address, strings.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Transport{DialContext: c.p.Net.Dial, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	said := []zap.Field{zap.Int("status code", resp.StatusCode)}
	if resp.StatusCode >= 400 {
		return said, fmt.Errorf("the answer is %s", resp.Status)
	}
	return said, nil
}

func checkTCP(ctx context.Context, c check) ([]zap.Field, error) {
	conn, err := c.p.Net.Dial(ctx, "tcp", c.address)
	if err != nil {
		return nil, err
	}
	return nil, conn.Close()
}

func checkGRPC(ctx context.Context, c check) ([]zap.Field, error) {
	conn, err := grpc.NewClient("passthrough:///"+c.address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) { return c.p.Net.Dial(ctx, "tcp", address) }))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	answer, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: c.service})
	if err != nil {
		return nil, err
	}
	if got := answer.GetStatus(); got != grpc_health_v1.HealthCheckResponse_SERVING {
		return nil, fmt.Errorf("the service is %s", got)
	}
	return []zap.Field{zap.String("status", answer.GetStatus().String())}, nil
}

func checkWebSocket(ctx context.Context, c check) ([]zap.Field, error) {
	address := c.address
	if !strings.Contains(address, "://") {
		address = "ws://" + address
	}
	conn, _, err := (&websocket.Dialer{NetDialContext: c.p.Net.Dial}).DialContext(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	_ = conn.SetReadDeadline(deadline) // it fails where the read does
	conn.SetReadLimit(maxMessage)
	if err := conn.WriteMessage(websocket.TextMessage, []byte("check")); err != nil {
		return nil, err
	}
	_, _, err = conn.ReadMessage()
	return nil, err
}

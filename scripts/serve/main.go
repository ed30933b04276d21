package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/site"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	port := flags.Int("port", 8080, "port on the loopback interface; 0 takes a free one")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "serve [--port N] DIR...\nA path is looked for in each DIR, the first that has it serves it.")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	dirs := flags.Args()
	if len(dirs) == 0 {
		dirs = []string{"out/site"}
	}

	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(*port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is taken; choose another one: make run PORT=%d", *port, *port+1)
	}
	if err != nil {
		return fmt.Errorf("listen on the loopback interface: %w", err)
	}
	fmt.Printf("http://localhost:%d/\n", listener.Addr().(*net.TCPAddr).Port)

	server := &http.Server{Handler: site.New(dirs), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		return server.Close()
	}
}

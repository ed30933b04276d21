package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/nodehost/lesson"
	"github.com/tabernetes/tabernetes/nodehost/lesson/check"
	"github.com/tabernetes/tabernetes/nodehost/lesson/try"
	"github.com/tabernetes/tabernetes/nodehost/site"
)

func lessonCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "lesson",
		Short: "Write, check and try lessons, which are folders with a lesson.md",
	}
	begin := &cobra.Command{
		Use:   "new DIR",
		Short: "Make a folder with a first lesson",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := lesson.Start(args[0]); err != nil {
				return err
			}
			fmt.Printf("made %s/%s; `nodehost lesson check %s` runs it\n", args[0], lesson.Name, args[0])
			return nil
		},
	}
	group.AddCommand(begin, checkCommand(), tryCommand())
	return group
}

func checkCommand() *cobra.Command {
	textOnly, verbose, parallel := false, false, runtime.NumCPU()
	c := &cobra.Command{
		Use:   "check DIR...",
		Short: "Run every block and every check of lessons on clusters without a browser",
		Long: `Reads each lesson and runs it on a cluster of its own, which is in this process: its blocks, its
solutions in the reader's place, its checks, and, where a step can be made anew, the step once more. Ends
with 1 and says file, line, what was expected and what came if a lesson does not do what it says.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if textOnly {
				for _, dir := range args {
					if err := check.Read(dir); err != nil {
						return err
					}
				}
				return nil
			}
			if len(args) > 1 {
				return checkEach(cmd.Context(), args, parallel, verbose)
			}
			// First of all: it runs this program once more, inside.
			if err := netns.Enter(cluster.Addresses()...); err != nil {
				return fmt.Errorf("a cluster needs a network namespace: %w", err)
			}
			if !verbose {
				defer quiet()()
			}
			return check.Run(cmd.Context(), check.Options{Dir: args[0], Out: os.Stdout})
		},
	}
	c.Flags().BoolVar(&textOnly, "text", false, "only read the lessons, and run nothing")
	c.Flags().BoolVar(&verbose, "verbose", false, "let the cluster log to standard error")
	c.Flags().IntVar(&parallel, "parallel", parallel, "of several lessons, how many are checked at a time; by default as many as there are processors")
	return c
}

// quiet has what writes to standard error write nowhere, until what it returns is called: upstream's
// components set up their loggers themselves, and nobody reads an informer's line beside a lesson's.
func quiet() (restore func()) {
	stderr := os.Stderr
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = null
	}
	return func() { os.Stderr = stderr }
}

// checkEach checks several lessons, each in a process of its own: a process can hold one cluster only. Most
// of a check is waiting for its cluster, so that some are under way at a time; what one says is written
// when it has ended, as a whole.
func checkEach(ctx context.Context, dirs []string, parallel int, verbose bool) error {
	if parallel < 1 {
		return fmt.Errorf("--parallel=%d: say how many lessons are to be checked at a time, 1 or more", parallel)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	places := make(chan struct{}, parallel)
	failed, begin := 0, time.Now()
	var checks sync.WaitGroup
	var ended sync.Mutex
	for _, dir := range dirs {
		places <- struct{}{}
		checks.Go(func() {
			defer func() { <-places }()
			one := exec.CommandContext(ctx, program, "lesson", "check", "--verbose="+strconv.FormatBool(verbose), "--", dir)
			var said bytes.Buffer
			one.Stdout, one.Stderr = &said, &said
			if verbose {
				one.Stderr = os.Stderr // a cluster's log is long
			}
			err := one.Run()
			ended.Lock()
			defer ended.Unlock()
			_, _ = os.Stdout.Write(said.Bytes())
			if err != nil {
				failed++
			}
		})
	}
	checks.Wait()
	if failed > 0 {
		return fmt.Errorf("%d of %d lessons do not do what they say", failed, len(dirs))
	}
	fmt.Printf("%d lessons in %.1f s\n", len(dirs), time.Since(begin).Seconds())
	return nil
}

func tryCommand() *cobra.Command {
	listen, dirs := "", []string(nil)
	c := &cobra.Command{
		Use:   "serve DIR",
		Short: "Serve the page with a lesson, to try it in a browser",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			handler, err := try.Handler(args[0], site.New(dirs))
			if err != nil {
				return err
			}
			listener, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("serve the page: %w", err)
			}
			fmt.Printf("http://%s%s shows %s; reload it after a change\n", listener.Addr(), try.Path, args[0])
			server := &http.Server{
				Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
			}
			context.AfterFunc(cmd.Context(), func() { _ = server.Close() })
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve the page: %w", err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8081", "address of the page; port 0 takes a free one")
	c.Flags().StringSliceVar(&dirs, "site", []string{"out/site"}, "directories with the built page")
	return c
}

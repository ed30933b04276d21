package nginx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

const defaultFile = prefix + "/nginx.conf"

// options are the command line's.
type options struct {
	version, test, dump bool
	signal, file        string
}

// Main is the program nginx. SIGQUIT ends it once the open requests are served, SIGTERM and
// SIGINT end it at once; both with code 0. SIGHUP reads the configuration again.
func Main(ctx context.Context, p *program.Process) int {
	opts, err := parseArgs(p.Args[1:])
	if err != nil {
		fmt.Fprintf(p.Stderr, "nginx: %v\n", err)
		return 1
	}
	if opts.version {
		fmt.Fprintf(p.Stderr, "nginx version: nginx/%s (the tab's stand-in)\n", p.Getenv("NGINX_VERSION"))
		return 0
	}
	conf, err := load(p.FS, opts.file)
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s [emerg] %d#%d: %v\n", stamp(), p.PID, p.PID, err)
		fmt.Fprintf(p.Stderr, "nginx: [emerg] %v\n", err)
		if opts.test {
			fmt.Fprintf(p.Stderr, "nginx: configuration file %s test failed\n", opts.file)
		}
		return 1
	}
	switch {
	case opts.test:
		fmt.Fprintf(p.Stderr, "nginx: the configuration file %s syntax is ok\n", opts.file)
		fmt.Fprintf(p.Stderr, "nginx: configuration file %s test is successful\n", opts.file)
		return 0
	case opts.signal != "":
		return sendSignal(p, conf, opts.signal)
	}
	m := &master{p: p, opts: opts, logs: map[string]io.Writer{}, listeners: map[string]net.Listener{}}
	return m.run(ctx, conf)
}

func parseArgs(args []string) (options, error) {
	opts := options{file: defaultFile}
	for i := 0; i < len(args); i++ {
		value := func() string {
			if i++; i < len(args) {
				return args[i]
			}
			return ""
		}
		switch args[i] {
		case "-v", "-V":
			opts.version = true
		case "-t", "-T":
			opts.test = true
		case "-s":
			opts.signal = value()
		case "-c":
			opts.file = value()
		case "-g", "-p", "-e":
			value()
		case "-q":
		default:
			return opts, fmt.Errorf("invalid option: %q", args[i])
		}
	}
	return opts, nil
}

// sendSignal is nginx -s.
func sendSignal(p *program.Process, conf *config, name string) int {
	sig, ok := map[string]program.Signal{
		"stop": program.SIGTERM, "quit": program.SIGQUIT, "reload": program.SIGHUP, "reopen": program.SIGUSR1,
	}[name]
	if !ok {
		fmt.Fprintf(p.Stderr, "nginx: invalid option: \"-s %s\"\n", name)
		return 1
	}
	data, err := p.FS.ReadFile(conf.pidFile)
	if err != nil {
		fmt.Fprintf(p.Stderr, "nginx: [error] open() %q failed (%s)\n", conf.pidFile, program.Reason(err))
		return 1
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err == nil && p.Table != nil {
		err = p.Table.Signal(pid, sig)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "nginx: [alert] kill(%d, %d) failed (%v)\n", pid, sig, err)
		return 1
	}
	return 0
}

// master is a running nginx.
type master struct {
	p       *program.Process
	opts    options
	config  atomic.Pointer[config]
	servers sync.WaitGroup
	stats   stats

	mu        sync.Mutex
	logs      map[string]io.Writer
	listeners map[string]net.Listener
	https     []*http.Server
}

func (m *master) run(ctx context.Context, conf *config) int {
	if err := m.listen(ctx, conf); err != nil {
		m.errorf("emerg", "%v", err)
		fmt.Fprintf(m.p.Stderr, "nginx: [emerg] %v\n", err)
		m.close()
		return 1
	}
	m.config.Store(conf)
	m.errorf("notice", "nginx/%s, the tab's stand-in on Go's net/http", m.p.Getenv("NGINX_VERSION"))
	for _, w := range conf.warnings {
		m.errorf("warn", "%s", w)
	}
	if err := m.p.FS.WriteFile(conf.pidFile, fmt.Appendln(nil, m.p.PID), 0o644); err != nil {
		m.errorf("error", "pid file: %v", err) // nginx -s will not find us
	}
	m.errorf("notice", "start worker processes")
	ended := make(chan struct{})
	for {
		select {
		case <-ended:
			m.errorf("notice", "exit")
			return 0
		case <-ctx.Done():
			m.close()
			return 128 + int(program.SIGKILL)
		case s := <-m.p.Signals:
			switch s {
			case program.SIGQUIT:
				m.errorf("notice", "signal 3 (SIGQUIT) received, shutting down")
				m.errorf("notice", "gracefully shutting down")
				go m.shutdown(ctx, ended)
			case program.SIGTERM, program.SIGINT:
				m.errorf("notice", "signal %d (SIG%s) received, exiting", s, s.Name())
				m.close()
				m.servers.Wait()
				m.errorf("notice", "exit")
				return 0
			case program.SIGHUP:
				m.errorf("notice", "signal 1 (SIGHUP) received, reconfiguring")
				m.reload(ctx)
			}
		}
	}
}

// listen opens the addresses of conf that are not open yet.
func (m *master) listen(ctx context.Context, conf *config) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range conf.servers {
		for _, l := range s.listens {
			if m.listeners[l.address] != nil {
				continue
			}
			ln, err := m.p.Net.Listen(ctx, "tcp", l.address)
			if err != nil {
				shown := l.address
				if strings.HasPrefix(shown, ":") {
					shown = "0.0.0.0" + shown
				}
				return fmt.Errorf("bind() to %s failed (%s)", shown, bindReason(err))
			}
			m.listeners[l.address] = ln
			server := &http.Server{
				Handler:     &frontend{master: m, address: l.address},
				ErrorLog:    log.New(io.Discard, "", 0), // what clients do wrong; nginx says it at level info
				BaseContext: func(net.Listener) context.Context { return ctx },
				ConnState:   m.stats.connState,
				// nginx' own: client_header_timeout, keepalive_timeout, large_client_header_buffers.
				ReadHeaderTimeout: time.Minute, IdleTimeout: 75 * time.Second, MaxHeaderBytes: 4 * 8 << 10,
			}
			m.https = append(m.https, server)
			m.servers.Go(func() { _ = server.Serve(ln) }) // ends with Close or Shutdown, or the pod
		}
	}
	return nil
}

// bindReason is why an address cannot be had, with Linux' number as nginx shows it.
func bindReason(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "98: Address already in use"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "99: Cannot assign requested address"
	}
	return err.Error()
}

func (m *master) reload(ctx context.Context) {
	conf, err := load(m.p.FS, m.opts.file)
	if err == nil {
		err = m.listen(ctx, conf)
	}
	if err != nil { // as nginx: the old configuration goes on
		m.errorf("emerg", "%v", err)
		return
	}
	for _, w := range conf.warnings {
		m.errorf("warn", "%s", w)
	}
	m.config.Store(conf)
}

func (m *master) shutdown(ctx context.Context, ended chan<- struct{}) {
	m.mu.Lock()
	https := m.https
	m.mu.Unlock()
	for _, s := range https {
		if err := s.Shutdown(ctx); err != nil {
			_ = s.Close()
		}
	}
	m.servers.Wait()
	close(ended)
}

func (m *master) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.https {
		_ = s.Close()
	}
}

func stamp() string { return time.Now().UTC().Format("2006/01/02 15:04:05") }

// errorf writes a line to the error log.
func (m *master) errorf(level, format string, args ...any) {
	path := defaultErrorLog
	if conf := m.config.Load(); conf != nil {
		path = conf.errorLog
	}
	fmt.Fprintf(m.log(path), "%s [%s] %d#%d: %s\n", stamp(), level, m.p.PID, m.p.PID, fmt.Sprintf(format, args...))
}

const defaultErrorLog = "/var/log/nginx/error.log"

// log gives a log by its path. One that cannot be opened is standard error.
func (m *master) log(path string) io.Writer {
	if path == "stderr" || path == "" {
		return m.p.Stderr
	}
	if !strings.HasPrefix(path, "/") {
		path = prefix + "/" + path
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if w, ok := m.logs[path]; ok {
		return w
	}
	var w io.Writer = m.p.Stderr
	if f, err := m.p.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err == nil {
		w = f
	}
	m.logs[path] = w
	return w
}

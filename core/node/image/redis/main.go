package redis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"

	"github.com/tabernetes/tabernetes/core/program"
)

// Version is the Redis whose commands these are.
const Version = "7.4.2"

var errFull = errors.New("maxmemory is reached")

// server is one redis-server.
type server struct {
	p     *program.Process
	mini  *miniredis.Miniredis
	inner *miniserver.Server
	peers peers
	stop  context.CancelFunc

	port      int
	password  string
	maxMemory int64 // bytes; 0: the container's own limit
	dir, file string
	begun     time.Time
	clients   atomic.Int64
	saved     atomic.Int64 // seconds since 1970

	// order is held while data changes, so that replicas hear of each write in its order. kept and recount
	// are its own.
	order   sync.Mutex
	kept    *program.Memory
	recount int64

	replication
}

// Main is redis-server: its arguments are a configuration file and directives, as Redis takes them.
func Main(ctx context.Context, p *program.Process) int {
	s := &server{
		p: p, port: 6379, dir: p.Dir, file: "dump.rdb", begun: time.Now(), kept: p.Memory(),
		peers: peers{list: map[*miniserver.Peer]*peer{}},
	}
	defer s.kept.Free()
	if err := s.configure(p.Args[1:]); err != nil {
		fmt.Fprintf(p.Stderr, "\n*** FATAL CONFIG FILE ERROR (Redis %s) ***\n%v\n", Version, err)
		return 1
	}
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	told := make(chan program.Signal, 1)
	go func() {
		for {
			select {
			case sig := <-p.Signals:
				if sig == program.SIGTERM || sig == program.SIGINT {
					told <- sig
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	if err := s.run(ctx, told); err != nil {
		s.log('#', "%v", err)
		return 1
	}
	return 0
}

func (s *server) configure(args []string) error {
	var lines [][]string
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		data, err := s.p.FS.ReadFile(s.path(args[0]))
		if err != nil {
			return fmt.Errorf("can't open config file %q: %w", args[0], err)
		}
		for line := range strings.Lines(string(data)) {
			if words := strings.Fields(line); len(words) > 0 && words[0][0] != '#' {
				lines = append(lines, words)
			}
		}
		args = args[1:]
	}
	for _, a := range args {
		if name, ok := strings.CutPrefix(a, "--"); ok {
			lines = append(lines, []string{name})
		} else if n := len(lines); n > 0 {
			lines[n-1] = append(lines[n-1], strings.Fields(a)...)
		}
	}
	for _, words := range lines {
		if err := s.directive(strings.ToLower(words[0]), words[1:]); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(words, " "), err)
		}
	}
	return nil
}

// directive takes one line of the configuration. What has no meaning here is let by.
func (s *server) directive(name string, values []string) error {
	value := strings.Trim(strings.Join(values, " "), `"'`)
	switch name {
	case "port":
		n, err := strconv.ParseUint(value, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("%q is no port", value)
		}
		s.port = int(n)
	case "requirepass":
		s.password = value
	case "masterauth":
		s.leaderPassword = value
	case "dir":
		s.dir = s.path(value)
	case "dbfilename":
		if value != path.Base(value) {
			return errors.New("dbfilename can't be a path, just a filename")
		}
		s.file = value
	case "maxmemory":
		n, err := memory(value)
		if err != nil {
			return err
		}
		s.maxMemory = n
	case "replicaof", "slaveof":
		return s.follow(values)
	}
	return nil
}

// memory reads an amount as Redis has it: 100mb is of 2^20 bytes, 100m of 10^6.
func memory(text string) (int64, error) {
	number := strings.TrimRight(strings.ToLower(text), "kmgb")
	unit, ok := map[string]int64{
		"": 1, "b": 1, "k": 1000, "kb": 1 << 10, "m": 1e6, "mb": 1 << 20, "g": 1e9, "gb": 1 << 30,
	}[strings.ToLower(text)[len(number):]]
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !ok || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is no amount of memory", text)
	}
	return n * unit, nil
}

// run serves until ctx is done or a signal comes, and then writes what it has.
func (s *server) run(ctx context.Context, told <-chan program.Signal) error {
	s.mini = miniredis.NewMiniRedis()
	defer s.mini.Close()
	s.mini.ClockTTL(true)
	if s.password != "" {
		s.mini.RequireAuth(s.password)
	}
	first, err := s.mini.Dial() // this starts it
	if err != nil {
		return err
	}
	first.Close()
	s.inner = s.mini.Server()
	s.inner.SetPreHook(s.hook)
	s.log('*', "oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo")
	s.log('*', "Redis version=%s, bits=64, commit=00000000, modified=0, pid=%d, just started", Version, s.p.PID)
	if err := s.load(); err != nil {
		return err
	}
	ln, err := s.p.Net.Listen(ctx, "tcp", ":"+strconv.Itoa(s.port))
	if err != nil {
		return fmt.Errorf("Could not create server TCP listening socket *:%d: %w", s.port, err) //nolint:staticcheck // Redis' words
	}
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	s.log('*', "Running mode=standalone, port=%d.", s.port)
	s.log('*', "Server initialized")
	s.log('*', "Ready to accept connections tcp")
	go s.keepFollowing(ctx)
	go s.accept(ctx, ln)
	select {
	case sig := <-told:
		s.log('*', "Received %s scheduling shutdown...", map[program.Signal]string{program.SIGTERM: "SIGTERM", program.SIGINT: "SIGINT"}[sig])
		s.log('*', "User requested shutdown...")
		if err := s.save(); err != nil {
			s.log('#', "Error trying to save the DB: %v", err)
		}
		s.log('#', "Redis is now ready to exit, bye bye...")
	case <-ctx.Done():
	}
	return nil
}

func (s *server) accept(ctx context.Context, ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer context.AfterFunc(ctx, func() { c.Close() })()
			s.serve(c)
		}()
	}
}

// path is a name as the process sees it.
func (s *server) path(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join("/", s.p.Dir, name)
}

// log writes a line as Redis does: the role is M or S.
func (s *server) log(level byte, format string, args ...any) {
	role := 'M'
	if s.leader() != "" {
		role = 'S'
	}
	fmt.Fprintf(s.p.Stdout, "%d:%c %s %c %s\n", s.p.PID, role, time.Now().UTC().Format("02 Jan 2006 15:04:05.000"), level, fmt.Sprintf(format, args...))
}

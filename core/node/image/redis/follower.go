package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// How long a leader may take to answer, and to send anything at all; and when it is tried again.
const (
	answerWithin = 10 * time.Second
	silence      = 60 * time.Second // Redis' repl-timeout
	again        = time.Second
)

// following is the server that this one follows; repl guards it.
type following struct {
	host, hostPort string // "" for none
	up             bool
	changed        chan struct{} // closed when another is to be followed
}

// follow takes the words of REPLICAOF: a host and a port, or NO ONE.
func (s *server) follow(words []string) error {
	if len(words) != 2 {
		return errors.New("wrong number of arguments for 'replicaof' command")
	}
	host, port := words[0], words[1]
	if strings.EqualFold(host, "no") && strings.EqualFold(port, "one") {
		host, port = "", ""
	} else if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return errors.New("Invalid master port") //nolint:staticcheck // Redis' words
	}
	s.repl.Lock()
	defer s.repl.Unlock()
	s.host, s.hostPort, s.up = host, port, false
	if s.changed != nil {
		close(s.changed)
	}
	s.changed = make(chan struct{})
	return nil
}

// leader is the address that this server follows; "" if it follows none.
func (s *server) leader() string {
	s.repl.Lock()
	defer s.repl.Unlock()
	if s.host == "" {
		return ""
	}
	return net.JoinHostPort(s.host, s.hostPort)
}

// keepFollowing follows whoever is to be followed, until ctx ends.
func (s *server) keepFollowing(ctx context.Context) {
	s.repl.Lock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	s.repl.Unlock()
	for ctx.Err() == nil {
		s.repl.Lock()
		changed, host := s.changed, s.host
		s.repl.Unlock()
		if host == "" {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		one, cancel := context.WithCancel(ctx)
		go func() {
			select {
			case <-changed:
				cancel()
			case <-one.Done():
			}
		}()
		err := s.followOnce(one)
		cancel()
		s.setUp(false)
		select {
		case <-changed:
			continue
		default:
		}
		if err != nil {
			s.log('#', "Error condition on socket for SYNC: %v", err)
		}
		select {
		case <-time.After(again):
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (s *server) setUp(up bool) {
	s.repl.Lock()
	defer s.repl.Unlock()
	s.up = up
}

// followOnce takes all data of the leader in the place of its own, and then each write, until the connection
// ends.
func (s *server) followOnce(ctx context.Context) error {
	to := s.leader()
	if to == "" {
		return nil
	}
	s.log('*', "Connecting to MASTER %s", printable(to))
	c, err := s.p.Net.Dial(ctx, "tcp", to)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	s.log('*', "MASTER <-> REPLICA sync started")
	r := bufio.NewReaderSize(c, maxLine)
	steps := [][]string{{"PING"}, {"REPLCONF", "listening-port", strconv.Itoa(s.port)}, {"REPLCONF", "capa", "psync2"}, {"PSYNC", "?", "-1"}}
	if s.leaderPassword != "" {
		steps = append([][]string{{"AUTH", s.leaderPassword}}, steps...)
	}
	answer := ""
	for _, step := range steps {
		if err := c.SetDeadline(time.Now().Add(answerWithin)); err != nil {
			return err
		}
		if _, err := c.Write(request(step...)); err != nil {
			return err
		}
		if answer, err = readLine(r); err != nil {
			return err
		}
		if !strings.HasPrefix(answer, "+") {
			return fmt.Errorf("%s: %w: %.128s", step[0], errNotLeader, printable(answer))
		}
	}
	if !strings.HasPrefix(answer, "+FULLRESYNC ") {
		return errNotLeader
	}
	if err := s.takeAll(r); err != nil {
		return err
	}
	s.setUp(true)
	s.log('*', "MASTER <-> REPLICA sync: Finished with success")
	return s.takeWrites(c, r)
}

// takeAll reads the leader's data in the place of this server's.
func (s *server) takeAll(r *bufio.Reader) error {
	line := ""
	for line == "" { // a leader that is still writing its data sends empty lines
		var err error
		if line, err = readLine(r); err != nil {
			return err
		}
	}
	size, err := strconv.ParseInt(strings.TrimPrefix(line, "$"), 10, 64)
	if err != nil || size < 0 || size > maxDump {
		return fmt.Errorf("%w: its data is %.40q long", errNotLeader, line)
	}
	s.order.Lock()
	s.mini.FlushAll()
	s.recount = 0
	s.order.Unlock()
	data := io.LimitReader(r, size)
	if _, err := s.restore(data); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, data) // its checksum
	return err
}

func (s *server) takeWrites(c net.Conn, r *bufio.Reader) error {
	l := s.newLink()
	defer l.close()
	held := s.p.Memory()
	defer held.Free()
	for {
		if err := c.SetDeadline(time.Now().Add(silence)); err != nil {
			return err
		}
		args, err := readRequest(r, held)
		if err != nil {
			return err
		}
		switch args[0] = strings.ToUpper(args[0]); args[0] {
		case "PING", "REPLCONF", "MULTI", "EXEC":
			continue
		}
		if err := l.do(args...); err != nil {
			return err
		}
		held.Free()
	}
}

package redis

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// Bounds of a request, of a connection that does not read its answers, and of connections.
const (
	maxArgs    = 64 << 10
	maxRequest = 4 << 20
	maxLine    = 64 << 10
	maxClients = 256
	writeFor   = 30 * time.Second
)

// errProtocol begins what a client is told that sends no request; the connection ends then.
var errProtocol = errors.New("Protocol error") //nolint:staticcheck // Redis' words

// readRequest reads one request: an array of strings, or a line of words as people type it to a port. It
// is never empty. held is drawn for what is kept of it.
func readRequest(r *bufio.Reader, held *program.Memory) ([]string, error) {
	for {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(line, "*") {
			if words := strings.Fields(line); len(words) > 0 {
				return words, held.Set(int64(len(line)))
			}
			continue
		}
		n, err := strconv.Atoi(line[1:])
		if err != nil || n > maxArgs {
			return nil, fmt.Errorf("%w: invalid multibulk length", errProtocol)
		}
		if n > 0 {
			return readStrings(r, n, held)
		}
	}
}

func readStrings(r *bufio.Reader, n int, held *program.Memory) ([]string, error) {
	var args []string
	total := 0
	for range n {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(line, "$") {
			return nil, fmt.Errorf("%w: expected '$'", errProtocol)
		}
		size, err := strconv.Atoi(line[1:])
		if err != nil || size < 0 || total+size > maxRequest {
			return nil, fmt.Errorf("%w: invalid bulk length", errProtocol)
		}
		total += size + program.StringMemory
		if err := held.Set(int64(total)); err != nil {
			return nil, err
		}
		data := make([]byte, size+2)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, err
		}
		args = append(args, string(data[:size]))
	}
	return args, nil
}

// readLine reads to the end of a line, which is short.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", fmt.Errorf("%w: too big inline request", errProtocol)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

// request is args as they go over the wire.
func request(args ...string) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b
}

// serve hands a client's requests on, until it goes or the server ends.
func (s *server) serve(c net.Conn) {
	defer c.Close()
	if s.clients.Add(1) > maxClients {
		s.clients.Add(-1)
		_, _ = io.WriteString(c, "-ERR max number of clients reached\r\n")
		return
	}
	defer s.clients.Add(-1)
	inner, err := s.mini.Dial()
	if err != nil {
		return // it ends
	}
	defer inner.Close()
	go func() {
		defer c.Close()
		_, _ = io.Copy(unread{c}, inner)
	}()
	held := s.p.Memory()
	defer held.Free()
	r := bufio.NewReaderSize(c, maxLine)
	trusted := s.password == ""
	for {
		args, err := readRequest(r, held)
		switch {
		case errors.Is(err, errProtocol):
			_, _ = fmt.Fprintf(c, "-ERR %v\r\n", err)
			return
		case err != nil:
			return
		}
		name := strings.ToUpper(args[0])
		if said := password(name, args[1:]); said != "" && said == s.password {
			trusted = true
		}
		if name == "PSYNC" && trusted {
			s.lead(c, r)
			return
		}
		if commands[name] == unknown {
			args = append([]string{asTyped}, args...)
		}
		if _, err := inner.Write(request(args...)); err != nil {
			return
		}
		held.Free()
	}
}

// unread gives up on a client that does not read what it asked for.
type unread struct{ net.Conn }

// Write implements io.Writer.
func (u unread) Write(b []byte) (int, error) {
	if err := u.SetWriteDeadline(time.Now().Add(writeFor)); err != nil {
		return 0, err
	}
	return u.Conn.Write(b)
}

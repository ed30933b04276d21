package memcached

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Bounds of what a client sends, and of how long it may take to read.
const (
	maxLine  = 2048
	maxKey   = 250
	maxData  = 1 << 20 // memcached's own for an item
	writeFor = 30 * time.Second
)

var errFormat = errors.New("CLIENT_ERROR bad command line format")

// session serves a connection until it ends or sends what is too long to be a command.
func (s *server) session(c net.Conn) {
	defer c.Close()
	r, w := bufio.NewReaderSize(c, maxLine), bufio.NewWriter(c)
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			_, _ = io.WriteString(c, "CLIENT_ERROR line too long\r\n")
			return
		}
		if err != nil {
			return
		}
		words := strings.Fields(string(line))
		if len(words) == 0 {
			words = []string{""}
		}
		if words[0] == "quit" {
			_ = w.Flush() // it has gone, or will
			return
		}
		answer, err := s.command(words, r)
		if err != nil {
			return
		}
		if answer != "" && words[len(words)-1] != "noreply" {
			_, _ = w.WriteString(answer) // Flush has its error
		}
		if r.Buffered() == 0 || w.Buffered() > maxLine {
			if c.SetWriteDeadline(time.Now().Add(writeFor)) != nil || w.Flush() != nil {
				return
			}
		}
	}
}

// command does one command. An error ends the connection.
func (s *server) command(words []string, r *bufio.Reader) (string, error) {
	args := words[1:]
	switch words[0] {
	case "get", "gets":
		if len(args) == 0 {
			return "ERROR\r\n", nil
		}
		return s.retrieve(args, words[0] == "gets", nil), nil
	case "gat", "gats":
		if len(args) == 0 {
			return "ERROR\r\n", nil
		}
		seconds, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return "CLIENT_ERROR invalid exptime argument\r\n", nil
		}
		until := expiry(seconds)
		return s.retrieve(args[1:], words[0] == "gats", &until), nil
	case "set", "add", "replace", "append", "prepend", "cas":
		return s.store(words[0], args, r)
	case "delete":
		return s.delete(args), nil
	case "incr", "decr":
		return s.count(words[0], args), nil
	case "touch":
		return s.touch(args), nil
	case "flush_all":
		s.mu.Lock()
		defer s.mu.Unlock()
		for key := range s.items {
			s.remove(key)
		}
		return "OK\r\n", nil
	case "version":
		return "VERSION " + Version + "\r\n", nil
	case "verbosity":
		if len(args) == 0 {
			return "ERROR\r\n", nil
		}
		return "OK\r\n", nil
	case "stats":
		return s.stats(), nil
	}
	return "ERROR\r\n", nil
}

// retrieve gives what stands under keys, and has it expire at another time if one is given.
func (s *server) retrieve(keys []string, withCAS bool, until *time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, key := range keys {
		if len(key) > maxKey {
			return errFormat.Error() + "\r\n"
		}
		s.gets++
		i := s.get(key)
		if i == nil {
			continue
		}
		if b.Len() > maxData+maxLine { // one key may be asked for often in a line
			return "SERVER_ERROR the answer is too long; ask for fewer keys at once\r\n"
		}
		s.hits++
		if until != nil {
			i.expires = *until
		}
		fmt.Fprintf(&b, "VALUE %s %d %d", i.key, i.flags, len(i.data))
		if withCAS {
			fmt.Fprintf(&b, " %d", i.cas)
		}
		b.WriteString("\r\n")
		b.Write(i.data)
		b.WriteString("\r\n")
	}
	b.WriteString("END\r\n")
	return b.String()
}

// store takes a command with data behind it, which is read whatever is wrong with the command.
func (s *server) store(name string, args []string, r *bufio.Reader) (string, error) {
	want := 4
	if name == "cas" {
		want = 5
	}
	if len(args) < want {
		return "ERROR\r\n", nil
	}
	flags, e1 := strconv.ParseUint(args[1], 10, 64) // kept are 32 bits of it
	seconds, e2 := strconv.ParseInt(args[2], 10, 64)
	size, e3 := strconv.ParseInt(args[3], 10, 64)
	cas, e4 := uint64(0), error(nil)
	if name == "cas" {
		cas, e4 = strconv.ParseUint(args[4], 10, 64)
	}
	if errors.Join(e1, e2, e3, e4) != nil || size < 0 || len(args[0]) > maxKey {
		return errFormat.Error() + "\r\n", nil
	}
	if size > maxData {
		_, err := io.CopyN(io.Discard, r, size+2)
		return "SERVER_ERROR object too large for cache\r\n", err
	}
	held := s.p.Memory()
	defer held.Free()
	if err := held.Grow(int(size)); err != nil {
		return "", err
	}
	data := make([]byte, size+2)
	if _, err := io.ReadFull(r, data); err != nil {
		return "", err
	}
	if string(data[size:]) != "\r\n" {
		return "CLIENT_ERROR bad data chunk\r\n", nil
	}
	return s.keep(name, &item{key: args[0], flags: uint32(flags), data: data[:size:size], expires: expiry(seconds)}, cas) + "\r\n", nil
}

// keep puts an item where its command wants it.
func (s *server) keep(name string, i *item, cas uint64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sets++
	old := s.get(i.key)
	switch {
	case name == "cas" && old == nil:
		return "NOT_FOUND"
	case name == "cas" && old.cas != cas:
		return "EXISTS"
	case name == "add" && old != nil, old == nil && (name == "replace" || name == "append" || name == "prepend"):
		return "NOT_STORED"
	case name == "append" || name == "prepend":
		first, second := old.data, i.data
		if name == "prepend" {
			first, second = second, first
		}
		if len(first)+len(second) > maxData {
			return "SERVER_ERROR object too large for cache"
		}
		i.data = append(append(make([]byte, 0, len(first)+len(second)), first...), second...)
		i.flags, i.expires = old.flags, old.expires
	}
	if !s.put(i) {
		return "SERVER_ERROR out of memory storing object"
	}
	return "STORED"
}

func (s *server) delete(args []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(args) == 0 {
		return "ERROR\r\n"
	}
	if s.get(args[0]) == nil {
		return "NOT_FOUND\r\n"
	}
	s.remove(args[0])
	return "DELETED\r\n"
}

func (s *server) count(name string, args []string) string {
	if len(args) < 2 {
		return "ERROR\r\n"
	}
	by, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return "CLIENT_ERROR invalid numeric delta argument\r\n"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.get(args[0])
	if i == nil {
		return "NOT_FOUND\r\n"
	}
	n, err := strconv.ParseUint(strings.TrimRight(string(i.data), " "), 10, 64)
	if err != nil {
		return "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n"
	}
	if name == "incr" {
		n += by
	} else {
		n -= min(n, by)
	}
	text := strconv.FormatUint(n, 10)
	// What has become shorter keeps its length, as memcached writes it where it stands.
	kept := []byte(text + strings.Repeat(" ", max(0, len(i.data)-len(text))))
	if !s.put(&item{key: i.key, flags: i.flags, data: kept, expires: i.expires}) {
		return "SERVER_ERROR out of memory in incr\r\n"
	}
	return text + "\r\n"
}

func (s *server) touch(args []string) string {
	if len(args) < 2 {
		return "ERROR\r\n"
	}
	seconds, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return "CLIENT_ERROR invalid exptime argument\r\n"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.get(args[0])
	if i == nil {
		return "NOT_FOUND\r\n"
	}
	i.expires = expiry(seconds)
	return "TOUCHED\r\n"
}

func (s *server) stats() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, one := range []struct {
		name  string
		value any
	}{
		{"pid", s.p.PID}, {"uptime", int(time.Since(s.begun).Seconds())}, {"version", Version}, {"curr_connections", s.clients.Load()},
		{"cmd_get", s.gets}, {"cmd_set", s.sets}, {"get_hits", s.hits}, {"get_misses", s.gets - s.hits},
		{"bytes", s.held.Held()}, {"curr_items", len(s.items)}, {"limit_maxbytes", s.limit}, {"evictions", s.evicted},
	} {
		fmt.Fprintf(&b, "STAT %s %v\r\n", one.name, one.value)
	}
	return b.String() + "END\r\n"
}

package tool

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

func init() { tools["redis-cli"] = redisCLI }

// Bounds of what a server may answer.
const (
	respText  = 16 << 20 // bytes of one text
	respItems = 1 << 20  // of all lists of an answer together
	respDepth = 16
)

const redisCLIUsage = "[-h HOST] [-p PORT] [-a PASSWORD] [-n DB] [-r TIMES] [-x] [--raw] [CMD [ARG...]]"

// redisClient is a connection to a Redis.
type redisClient struct {
	net.Conn
	r     *bufio.Reader
	items int
	raw   bool // answers as they are, and not as a person reads them
}

func redisCLI(t *T) int {
	host, port, password, db, times, last := "127.0.0.1", "6379", t.Getenv("REDISCLI_AUTH"), "", 1, false
	raw := t.Terminal == nil
	args := t.Args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, value := args[0], ""
		args = args[1:]
		if strings.Contains("-h -p -a -n -r -u --pass", name) {
			if len(args) == 0 {
				return t.usage(redisCLIUsage)
			}
			value, args = args[0], args[1:]
		}
		switch name {
		case "-h":
			host = value
		case "-p":
			port = value
		case "-a", "--pass":
			password = value
		case "-n":
			db = value
		case "-r":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				t.fail("-r %q is no number of times", value)
				return 1
			}
			times = n
		case "-x":
			last = true
		case "--raw":
			raw = true
		case "--no-raw":
			raw = false
		case "--no-auth-warning":
		case "--version", "-v":
			fmt.Fprintln(t.out, "redis-cli 7.4.2")
			return 0
		default:
			return t.usage(redisCLIUsage)
		}
	}
	if t.Net == nil {
		t.fail("no network")
		return 1
	}
	address := net.JoinHostPort(host, port)
	dialed, cancel := context.WithTimeout(t.ctx, 10*time.Second)
	defer cancel()
	conn, err := t.Net.Dial(dialed, "tcp", address)
	if err != nil {
		fmt.Fprintf(t.Stderr, "Could not connect to Redis at %s: %v\n", address, err)
		t.explain(err)
		return 1
	}
	defer conn.Close()
	defer context.AfterFunc(t.ctx, func() { conn.Close() })()
	c := &redisClient{Conn: conn, r: bufio.NewReader(conn), raw: raw}
	for _, first := range [][]string{{"AUTH", password}, {"SELECT", db}} {
		if first[1] == "" {
			continue
		}
		if answer, err := c.ask(first); err != nil || strings.HasPrefix(answer, "(error)") || strings.HasPrefix(answer, "ERR") || strings.HasPrefix(answer, "WRONGPASS") {
			fmt.Fprintf(t.Stderr, "%s failed: %s\n", first[0], redisCause(answer, err))
		}
	}
	if last {
		data, err := io.ReadAll(io.LimitReader(t.in, respText))
		if t.failed("standard input", err) {
			return 1
		}
		args = append(args, string(data))
	}
	if len(args) > 0 {
		for range times {
			if code := t.redisRun(c, args); code != 0 {
				return code
			}
		}
		return 0
	}
	return t.redisLines(c, address)
}

func redisCause(answer string, err error) string {
	if err != nil {
		return err.Error()
	}
	return answer
}

// redisLines runs what is typed, line by line.
func (t *T) redisLines(c *redisClient, address string) int {
	lines := bufio.NewScanner(t.in)
	for {
		if t.Terminal != nil {
			fmt.Fprintf(t.out, "%s> ", address)
			_ = t.out.Flush()
		}
		if !lines.Scan() {
			return 0
		}
		words, err := redisWords(lines.Text())
		switch {
		case err != nil:
			fmt.Fprintln(t.out, "Invalid argument(s)")
		case len(words) == 0:
		case words[0] == "quit" || words[0] == "exit":
			return 0
		default:
			if code := t.redisRun(c, words); code > 1 {
				return code
			}
		}
	}
}

// redisRun asks and prints; 2 says that the connection has ended.
func (t *T) redisRun(c *redisClient, args []string) int {
	follows := strings.HasSuffix(strings.ToLower(args[0]), "subscribe") || strings.EqualFold(args[0], "monitor")
	answer, err := c.ask(args)
	for {
		if err != nil {
			if !errors.Is(err, io.EOF) || !strings.EqualFold(args[0], "shutdown") {
				fmt.Fprintf(t.Stderr, "Error: %v\n", redisEnd(err))
			}
			return 2
		}
		fmt.Fprintln(t.out, strings.TrimSuffix(answer, "\n"))
		_ = t.out.Flush()
		if !follows {
			break
		}
		answer, err = c.answer()
	}
	return 0
}

func redisEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("Server closed the connection") //nolint:staticcheck // redis-cli's words
	}
	return err
}

func (c *redisClient) ask(args []string) (string, error) {
	wire := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		wire = fmt.Appendf(wire, "$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := c.Write(wire); err != nil {
		return "", err
	}
	return c.answer()
}

// answer is the next answer, in words.
func (c *redisClient) answer() (string, error) {
	c.items = 0
	return c.read("", 0)
}

// read reads one answer; indent is what its lines begin with after the first.
func (c *redisClient) read(indent string, depth int) (string, error) {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(line), "\r\n")
	if text == "" || depth > respDepth {
		return "", errors.New("this is no answer of a Redis")
	}
	kind, text := text[0], text[1:]
	switch kind {
	case '+':
		return text, nil
	case '-':
		if c.raw {
			return text + "\n", nil
		}
		return "(error) " + text, nil
	case ':', ',', '#', '(':
		if c.raw {
			return text, nil
		}
		return "(integer) " + text, nil
	case '_':
		return c.null(), nil
	case '$', '=':
		n, err := strconv.Atoi(text)
		if err != nil || n > respText {
			return "", fmt.Errorf("a text of %.40q bytes", text)
		}
		if n < 0 {
			return c.null(), nil
		}
		data := make([]byte, n+2)
		if _, err := io.ReadFull(c.r, data); err != nil {
			return "", err
		}
		if c.raw {
			return string(data[:n]), nil
		}
		return strconv.Quote(string(data[:n])), nil
	case '*', '~', '>', '%':
		n, err := strconv.Atoi(text)
		if kind == '%' {
			n *= 2
		}
		if c.items += max(n, 0); err != nil || c.items > respItems {
			return "", fmt.Errorf("a list of %.40q", text)
		}
		return c.list(n, indent, depth)
	}
	return "", errors.New("this is no answer of a Redis")
}

func (c *redisClient) null() string {
	if c.raw {
		return ""
	}
	return "(nil)"
}

func (c *redisClient) list(n int, indent string, depth int) (string, error) {
	if n <= 0 {
		if c.raw {
			return "", nil
		}
		return map[bool]string{true: "(nil)", false: "(empty array)"}[n < 0], nil
	}
	width := len(strconv.Itoa(n))
	var b strings.Builder
	for i := range n {
		one, err := c.read(indent+strings.Repeat(" ", width+2), depth+1)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b.WriteByte('\n')
			if !c.raw {
				b.WriteString(indent)
			}
		}
		if !c.raw {
			fmt.Fprintf(&b, "%*d) ", width, i+1)
		}
		b.WriteString(one)
	}
	return b.String(), nil
}

// redisWords splits a line as redis-cli does: by blanks, with quotes.
func redisWords(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		switch line[0] {
		case '"':
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			words, line = append(words, word), line[len(quoted):]
		case '\'':
			word, rest, ok := strings.Cut(line[1:], "'")
			if !ok {
				return nil, errors.New("a quote that does not end")
			}
			words, line = append(words, word), rest
		default:
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
		}
	}
	return words, nil
}

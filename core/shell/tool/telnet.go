package tool

import (
	"context"
	"io"
	"net"
	"time"
)

func init() { tools["telnet"] = telnet }

// telnetPatience is how long a connection may take to be made.
const telnetPatience = 30 * time.Second

// telnet connects standard input and output with a port, as people try whether somebody listens there. Options of
// TELNET are answered by nobody here.
func telnet(t *T) int {
	args := t.Args[1:]
	if len(args) == 1 {
		args = append(args, "23")
	}
	if len(args) != 2 {
		return t.usage("HOST [PORT]")
	}
	ctx, cancel := context.WithTimeout(t.ctx, telnetPatience)
	defer cancel()
	conn, err := t.dial(ctx, "tcp", net.JoinHostPort(args[0], args[1]), func(_, address string) {
		ip, _, _ := net.SplitHostPort(address)
		t.printf("Trying %s...\n", ip)
	})
	if err != nil {
		t.fail("%s", netReason(err))
		t.explain(err)
		return 1
	}
	t.printf("Connected to %s.\nEscape character is '^]'.\n", args[0])
	_ = t.out.Flush() // who has gone is found out by what follows
	t.converse(conn)
	_, _ = io.WriteString(t.stderr(), "Connection closed by foreign host.\n")
	return 1
}

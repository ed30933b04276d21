package redis

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"

	miniserver "github.com/alicebob/miniredis/v2/server"
)

// asTyped stands before a command that is none, so that the answer can say it as it was typed: miniredis
// knows names in capitals only.
const asTyped = "TABERNETES.ASTYPED"

// maxSaid is how much of a command that is none is said again, as Redis does.
const maxSaid = 128

// unknown is what is answered to a command that is none, or none that is here.
func (s *server) unknown(name string, args []string) string {
	if name == asTyped && len(args) > 0 {
		name, args = args[0], args[1:]
	}
	if s.inner.IsRegisteredCommand(strings.ToUpper(name)) || redisHas[strings.ToUpper(name)] {
		return fmt.Sprintf("ERR unknown command '%.128s': Redis has it, this tab's redis does not", printable(name))
	}
	said := ""
	for _, a := range args {
		if len(said) >= maxSaid {
			break
		}
		said += fmt.Sprintf("'%.*s' ", maxSaid-len(said), printable(a))
	}
	return fmt.Sprintf("ERR unknown command '%.128s', with args beginning with: %s", printable(name), said)
}

// redisHas are commands that neither miniredis nor this server has.
var redisHas = map[string]bool{}

func init() {
	for _, name := range strings.Fields("DEBUG MONITOR SLOWLOG LATENCY ACL FUNCTION FCALL EVALSHA_RO EVAL_RO MODULE BGREWRITEAOF FAILOVER SYNC LPOS GETEX LMPOP ZMPOP BITFIELD SINTERCARD SORT") {
		redisHas[name] = true
	}
}

// inRedisWords answers what miniredis answers in other words than Redis, or rounds otherwise.
func (s *server) inRedisWords(c *miniserver.Peer, st *peer, name string, args []string) bool {
	switch {
	case name == "TTL" && len(args) == 1: // Redis rounds to the nearest second
		answer := s.quietly(c, st, "PTTL", args[0])
		ms, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(answer, ":"), "\r\n"))
		if err != nil {
			return false
		}
		if ms > 0 {
			ms = (ms + 500) / 1000
		}
		c.WriteInt(ms)
		return true
	case (name == "SETEX" || name == "PSETEX") && len(args) == 3 && neverAfter(args[1]),
		name == "SET" && len(args) == 4 && (strings.EqualFold(args[2], "EX") || strings.EqualFold(args[2], "PX")) && neverAfter(args[3]):
		c.WriteError(fmt.Sprintf("ERR invalid expire time in '%s' command", strings.ToLower(name)))
		return true
	}
	return false
}

// neverAfter tells whether a time from now on is none.
func neverAfter(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n <= 0
}

// quietly runs a command as a connection would, and gives the answer to nobody but its caller.
func (s *server) quietly(c *miniserver.Peer, st *peer, whole ...string) string {
	var said bytes.Buffer
	aside := miniserver.NewPeer(bufio.NewWriter(&said))
	aside.Ctx = c.Ctx // the database that it has selected, the transaction that it is in
	s.peers.mu.Lock()
	s.peers.list[aside] = &peer{inside: true, authenticated: st.authenticated, db: st.db}
	s.peers.mu.Unlock()
	defer func() {
		s.peers.mu.Lock()
		defer s.peers.mu.Unlock()
		delete(s.peers.list, aside)
	}()
	s.inner.Dispatch(aside, whole)
	aside.Flush()
	return said.String()
}

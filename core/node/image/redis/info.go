package redis

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	miniserver "github.com/alicebob/miniredis/v2/server"
)

// own answers what is this server's own and not of its data; false leaves the command to miniredis.
func (s *server) own(c *miniserver.Peer, name string, args []string) bool {
	first := ""
	if len(args) > 0 {
		first = strings.ToLower(args[0])
	}
	switch name {
	case "INFO":
		c.WriteBulk(s.info(first))
	case "ROLE":
		s.role(c)
	case "CONFIG":
		s.config(c, first, args)
	case "SAVE", "BGSAVE":
		s.order.Lock()
		err := s.save()
		s.order.Unlock()
		switch {
		case err != nil:
			c.WriteError(fmt.Sprintf("ERR %s", printable(err.Error())))
		case name == "SAVE":
			c.WriteOK()
		default:
			c.WriteInline("Background saving started")
		}
	case "LASTSAVE":
		if len(args) > 0 {
			c.WriteError("ERR wrong number of arguments for 'lastsave' command")
			return true
		}
		c.WriteInt(int(s.saved.Load()))
	case "SHUTDOWN":
		if first != "nosave" {
			if err := s.save(); err != nil {
				c.WriteError("ERR Errors trying to SHUTDOWN. Check logs.")
				return true
			}
		}
		c.Close()
		s.log('*', "User requested shutdown...")
		s.stop()
	case "REPLICAOF", "SLAVEOF":
		if err := s.follow(args); err != nil {
			c.WriteError("ERR " + printable(err.Error()))
			return true
		}
		c.WriteOK()
	case "PSYNC":
		c.WriteError("NOAUTH Authentication required.") // of whoever has said the password it never comes here
	case "REPLCONF":
		c.WriteOK()
	default:
		return false
	}
	return true
}

// sections of INFO, in Redis' order.
func (s *server) info(section string) string {
	held, clients := s.held(), s.clients.Load()
	all := []struct{ name, text string }{
		{"server", fmt.Sprintf("redis_version:%s\r\nredis_mode:standalone\r\nos:Tabernetes\r\narch_bits:64\r\nprocess_id:%d\r\ntcp_port:%d\r\nuptime_in_seconds:%d\r\nexecutable:/usr/local/bin/redis-server\r\n",
			Version, s.p.PID, s.port, int(time.Since(s.begun).Seconds()))},
		{"clients", fmt.Sprintf("connected_clients:%d\r\nmaxclients:%d\r\n", clients, maxClients)},
		{"memory", fmt.Sprintf("used_memory:%d\r\nmaxmemory:%d\r\nmaxmemory_policy:noeviction\r\n", held, s.maxMemory)},
		{"persistence", fmt.Sprintf("loading:0\r\nrdb_last_save_time:%d\r\nrdb_last_bgsave_status:ok\r\naof_enabled:0\r\n", s.saved.Load())},
		{"stats", fmt.Sprintf("total_connections_received:%d\r\ntotal_commands_processed:%d\r\n", s.inner.TotalConnections(), s.inner.TotalCommands())},
		{"replication", s.replicationInfo()},
		{"keyspace", s.keyspace()},
	}
	var out []string
	for _, one := range all {
		if section == "" || section == "all" || section == "default" || section == "everything" || section == one.name {
			out = append(out, "# "+strings.ToUpper(one.name[:1])+one.name[1:]+"\r\n"+one.text)
		}
	}
	return strings.Join(out, "\r\n")
}

func (s *server) held() int64 {
	s.order.Lock()
	defer s.order.Unlock()
	return s.kept.Held()
}

func (s *server) keyspace() string {
	var b strings.Builder
	for i := range databases {
		if n := len(s.mini.DB(i).Keys()); n > 0 {
			fmt.Fprintf(&b, "db%d:keys=%d,expires=0,avg_ttl=0\r\n", i, n)
		}
	}
	return b.String()
}

// config tells what it runs by; of what can be set while it runs there are two.
func (s *server) config(c *miniserver.Peer, first string, args []string) {
	values := map[string]string{
		"port": strconv.Itoa(s.port), "dir": s.dir, "dbfilename": s.file, "maxmemory": strconv.FormatInt(s.maxMemory, 10),
		"maxmemory-policy": "noeviction", "appendonly": "no", "save": "", "databases": strconv.Itoa(databases),
		"maxclients": strconv.Itoa(maxClients),
	}
	switch {
	case first == "get" && len(args) > 1:
		var found []string
		for name, value := range values {
			if slices.ContainsFunc(args[1:], func(pattern string) bool {
				ok, _ := path.Match(strings.ToLower(pattern), name) // what is no pattern finds nothing
				return ok
			}) {
				found = append(found, name, value)
			}
		}
		c.WriteMapLen(len(found) / 2)
		for _, f := range found {
			c.WriteBulk(f)
		}
	case first == "set" && len(args) == 3 && strings.EqualFold(args[1], "maxmemory"):
		n, err := memory(args[2])
		if err != nil {
			c.WriteError("ERR CONFIG SET failed - " + printable(err.Error()))
			return
		}
		s.order.Lock()
		s.maxMemory = n
		s.order.Unlock()
		c.WriteOK()
	case first == "set" && len(args) == 3 && values[strings.ToLower(args[1])] != "":
		c.WriteOK() // it has no meaning here
	case first == "resetstat", first == "rewrite":
		c.WriteOK()
	default:
		c.WriteError("ERR Unknown option or number of arguments for CONFIG")
	}
}

package redis

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	miniserver "github.com/alicebob/miniredis/v2/server"
)

// Bounds of what waits for one replica, and of how many replicas there are.
const (
	maxBehind   = 1024 // writes
	maxReplicas = 16
	pingEvery   = 10 * time.Second // Redis' repl-ping-replica-period
)

// replication is this server's place among others.
type replication struct {
	leaderPassword string

	repl     sync.Mutex
	id       string
	offset   int64
	replicas []*replica
	following
}

// replica is a server that follows this one.
type replica struct {
	address string
	writes  chan []byte
	lost    chan struct{} // closed when it is too far behind
	once    sync.Once
	db      int // of the last write that it was told; -1 before the first
}

// tell has every replica hear of a write. order is held.
func (s *server) tell(db int, args []string) {
	s.repl.Lock()
	defer s.repl.Unlock()
	wire := request(args...)
	s.offset += int64(len(wire))
	for _, r := range s.replicas {
		if r.db != db {
			r.db = db
			r.send(request("SELECT", strconv.Itoa(db)))
		}
		r.send(wire)
	}
}

func (r *replica) send(wire []byte) {
	select {
	case r.writes <- wire:
	default:
		r.once.Do(func() { close(r.lost) })
	}
}

// lead makes the connection one of a replica: it gets all data, and then each write, until it goes.
func (s *server) lead(c net.Conn, r *bufio.Reader) {
	one := &replica{address: c.RemoteAddr().String(), writes: make(chan []byte, maxBehind), lost: make(chan struct{}), db: -1}
	s.order.Lock() // no write between the data and the first that it is told
	s.repl.Lock()
	if len(s.replicas) >= maxReplicas {
		s.repl.Unlock()
		s.order.Unlock()
		_, _ = fmt.Fprintf(c, "-ERR there are %d replicas already\r\n", maxReplicas)
		return
	}
	s.replicas = append(s.replicas, one)
	head := fmt.Sprintf("+FULLRESYNC %s %d\r\n", s.replID(), s.offset)
	s.repl.Unlock()
	data := s.dump()
	s.order.Unlock()
	defer func() {
		s.repl.Lock()
		defer s.repl.Unlock()
		s.replicas = slices.DeleteFunc(s.replicas, func(r *replica) bool { return r == one })
	}()
	s.log('*', "Replica %s asks for synchronization", one.address)
	to := unread{c}
	if _, err := fmt.Fprintf(to, "%s$%d\r\n%s", head, len(data), data); err != nil {
		return
	}
	s.log('*', "Synchronization with replica %s succeeded", one.address)
	gone := make(chan struct{})
	go func() { // what it says are acknowledgements
		defer close(gone)
		held := s.p.Memory()
		defer held.Free()
		for {
			if _, err := readRequest(r, held); err != nil {
				return
			}
		}
	}()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var wire []byte
		select {
		case wire = <-one.writes:
		case <-ping.C:
			wire = request("PING")
		case <-one.lost:
			s.log('#', "Replica %s is too far behind and is cut off", one.address)
			return
		case <-gone:
			return
		}
		if _, err := to.Write(wire); err != nil {
			return
		}
	}
}

// replID names this history of writes. repl is held.
func (s *server) replID() string {
	if s.id == "" {
		id := make([]byte, 20)
		_, _ = rand.Read(id) // it never fails
		s.id = hex.EncodeToString(id)
	}
	return s.id
}

func (s *server) replicationInfo() string {
	s.repl.Lock()
	defer s.repl.Unlock()
	var b strings.Builder
	if s.host == "" {
		b.WriteString("role:master\r\n")
	} else {
		up := map[bool]string{true: "up", false: "down"}[s.up]
		fmt.Fprintf(&b, "role:slave\r\nmaster_host:%s\r\nmaster_port:%s\r\nmaster_link_status:%s\r\nslave_read_only:1\r\n", printable(s.host), s.hostPort, up)
	}
	fmt.Fprintf(&b, "connected_slaves:%d\r\n", len(s.replicas))
	for i, r := range s.replicas {
		host, port, _ := net.SplitHostPort(r.address)
		fmt.Fprintf(&b, "slave%d:ip=%s,port=%s,state=online,offset=%d,lag=0\r\n", i, host, port, s.offset)
	}
	fmt.Fprintf(&b, "master_replid:%s\r\nmaster_repl_offset:%d\r\n", s.replID(), s.offset)
	return b.String()
}

func (s *server) role(c *miniserver.Peer) {
	s.repl.Lock()
	defer s.repl.Unlock()
	if s.host != "" {
		c.WriteLen(5)
		c.WriteBulk("slave")
		c.WriteBulk(s.host)
		port, _ := strconv.Atoi(s.hostPort) // follow has looked at it
		c.WriteInt(port)
		c.WriteBulk(map[bool]string{true: "connected", false: "connect"}[s.up])
		c.WriteInt(int(s.offset))
		return
	}
	c.WriteLen(3)
	c.WriteBulk("master")
	c.WriteInt(int(s.offset))
	c.WriteLen(len(s.replicas))
	for _, r := range s.replicas {
		host, port, _ := net.SplitHostPort(r.address)
		c.WriteLen(3)
		c.WriteBulk(host)
		c.WriteBulk(port)
		c.WriteBulk(strconv.FormatInt(s.offset, 10))
	}
}

var errNotLeader = errors.New("it does not answer as a leader does")

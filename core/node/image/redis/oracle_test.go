package redis

import (
	"bufio"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// likeRedis are lines of one connection, one after another. What begins with "sorted " has no order of its own. Not
// among them: what a connection that subscribes may not ask, which miniredis says in the words of Redis 6, and COMMAND,
// whose table is miniredis' own.
var likeRedis = []string{
	`ping`, `ping hi`, `echo hi`, `set k v`, `get k`, `get absent`, `set k w nx`, `set k w xx`, `set k w nx get`, `get k`, `set k v keepttl`,
	`set k v ex 0`, `set k v ex x`, `set k v nonsense`, `set k`, `get`, `get a b`, `nosuch`, `nosuch a b`, `setnx k v`, `setnx fresh v`,
	`getset k x`, `getdel fresh`, `getdel fresh`, `append k yz`, `append made abc`, `strlen made`, `strlen absent`, `getrange made 0 1`,
	`getrange made -2 -1`, `getrange made 5 9`, `mset a 1 b 2`, `mset a`, `mget a b absent`, `msetnx a 9 z 9`, `msetnx y 9 z 9`,
	`incr a`, `incrby a 41`, `decr a`, `decrby a 2`, `incr k`, `incrby a x`, `incrbyfloat b 0.5`, `incrbyfloat b x`, `incr nine`,
	`set most 9223372036854775807`, `incr most`, `decr most`,
	`exists a b absent a`, `type a`, `type absent`, `del a absent`, `unlink b`, `rename k r`, `rename absent r`, `renamenx r made`, `renamenx r free`,
	`setex e 100 v`, `setex e 0 v`, `setex e x v`, `psetex e 100000 v`, `persist e`, `ttl e`, `ttl absent`, `pttl absent`, `expire e 100`, `ttl e`,
	`expire absent 1`, `expire e x`, `expireat e 1`, `get e`, `expire made -1`, `exists made`,
	`rpush l a b c`, `lpush l z`, `lrange l 0 -1`, `lrange l 1 1`, `lrange l 9 10`, `lrange absent 0 -1`, `lrange l x 1`, `llen l`, `lindex l 0`, `lindex l -1`,
	`lindex l 9`, `lset l 0 y`, `lset l 9 y`, `lset absent 0 y`, `linsert l before b x`, `linsert l after nothing x`, `lrem l 0 x`, `lrem l -1 c`, `ltrim l 0 1`,
	`lrange l 0 -1`, `lpop l`, `rpop l`, `rpop l`, `lpop absent`, `lpushx absent a`, `rpushx absent a`, `rpush l 1 2 3`, `lpop l 2`, `rpoplpush l other`, `lmove other l left right`,
	`lrange l 0 -1`, `get l`, `lpush free x`, `exists other`,
	`hset h f 1 g 2`, `hset h f 3`, `hset h f`, `hget h f`, `hget h absent`, `hget absent f`, `hmget h f absent`, `hmset h m 1 n 2`, `hsetnx h f 9`, `hsetnx h o 9`,
	`sorted hgetall h`, `sorted hkeys h`, `sorted hvals h`, `hlen h`, `hexists h f`, `hexists h absent`, `hincrby h f 2`, `hincrby h t x`, `hincrbyfloat h f 0.5`,
	`hdel h f absent`, `hstrlen h g`, `hgetall absent`, `hget l f`,
	`sadd s a b c a`, `sadd t b c d`, `scard s`, `sismember s a`, `sismember s z`, `smismember s a z`, `sorted smembers s`, `sorted sinter s t`, `sorted sunion s t`,
	`sorted sdiff s t`, `srem s a z`, `smove s t b`, `smove s t z`, `scard absent`, `sadd h x`,
	`zadd z 1 a 2 b 3 c`, `zadd z 4 a`, `zadd z nx 9 a`, `zadd z xx 5 d`, `zadd z x a`, `zadd z ch 7 a`, `zscore z a`, `zscore z absent`, `zcard z`, `zrank z a`, `zrank z absent`,
	`zrevrank z a`, `zrange z 0 -1`, `zrange z 0 -1 withscores`, `zrevrange z 0 0`, `zrangebyscore z 2 3`, `zrangebyscore z -inf (3`, `zrangebyscore z (2 +inf withscores limit 0 1`,
	`zrevrangebyscore z +inf -inf`, `zcount z 2 3`, `zcount z x 3`, `zincrby z 1.5 b`, `zrem z a absent`, `zremrangebyscore z 0 3`, `zremrangebyrank z 0 0`, `zpopmin z`, `zpopmax z`, `zcard z`,
	`zadd z2 1 a 1 b 1 c`, `zrange z2 0 -1`, `zrange z2 1 1`,
	`sorted keys *`, `keys nothing*`, `sorted keys ?`, `sorted keys [sh]`, `dbsize`, `scan 0 match nothing count 1000`, `select 3`, `dbsize`, `set other 1`, `select 99`, `select x`, `select 0`, `get other`,
	`multi`, `set tx 1`, `incr tx`, `get tx`, `exec`, `exec`, `discard`, `multi`, `multi`, `set tx 5`, `discard`, `get tx`, `multi`, `nosuch`, `set tx 7`, `exec`, `get tx`,
	`multi`, `incr k9`, `lpush k9 x`, `exec`, `multi`, `exec`,
	`publish news hi`, `pubsub channels`, `pubsub numsub news`, `pubsub numpat`, `subscribe news`, `unsubscribe news`, `get k9`,
	`config get maxmemory`, `config get nothing-*`, `auth x`, `client getname`, `client setname me`, `client getname`, `flushdb`, `dbsize`, `flushall`,
	`lastsave x`, `select 1 2`, `select`,
}

// TestLikeDebians: what is asked of this redis-server and of Debian's is answered with the same words.
func TestLikeDebians(t *testing.T) {
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skipf("%v (scripts/setup installs it)", err)
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	theirs := exec.CommandContext(t.Context(), bin, "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--daemonize", "no")
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = theirs.Process.Kill()
		_ = theirs.Wait() // killed
	})
	var conn net.Conn
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if conn, err = net.Dial("unix", socket); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	defer conn.Close()
	s := start(t, &sync.Map{}, "redis", t.TempDir())
	defer s.stop(t)
	debian, ours := client{conn, bufio.NewReader(conn)}, dial(t, s.address)
	for _, line := range likeRedis {
		line, unordered := strings.CutPrefix(line, "sorted ")
		want, got := debian.ask(t, line), ours.ask(t, line)
		if unordered {
			want, got = ordered(want), ordered(got)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func ordered(answer string) string {
	words := strings.Fields(strings.Trim(answer, "[]"))
	slices.Sort(words)
	return strings.Join(words, " ")
}

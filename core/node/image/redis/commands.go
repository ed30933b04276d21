package redis

import "strings"

// kind is what a command does to data.
type kind int

const (
	unknown kind = iota
	reads
	writes
	speaks // to this connection or this server, and touches no data
)

// commands are those that are answered. miniredis has more: some wait, some compute without end, some make
// much of little (COPY, BITOP, SETBIT), and some are not the same on a replica (SPOP).
var commands = map[string]kind{}

func init() {
	for k, names := range map[kind]string{
		writes: `SET SETEX PSETEX SETNX GETSET GETDEL MSET MSETNX APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY
			DEL UNLINK EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST RENAME RENAMENX FLUSHDB FLUSHALL
			LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LREM LSET LTRIM LINSERT RPOPLPUSH LMOVE
			HSET HMSET HSETNX HDEL HINCRBY HINCRBYFLOAT SADD SREM SMOVE
			ZADD ZREM ZINCRBY ZREMRANGEBYSCORE ZREMRANGEBYRANK ZPOPMIN ZPOPMAX`,
		reads: `GET MGET EXISTS TYPE TTL PTTL KEYS SCAN DBSIZE RANDOMKEY STRLEN GETRANGE
			LRANGE LLEN LINDEX HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS HSCAN HSTRLEN
			SMEMBERS SISMEMBER SMISMEMBER SCARD SINTER SUNION SDIFF SSCAN
			ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZSCORE ZCARD ZCOUNT ZRANK ZREVRANK ZSCAN`,
		speaks: `PING ECHO AUTH HELLO SELECT QUIT CLIENT COMMAND TIME MULTI EXEC DISCARD
			SUBSCRIBE PSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE PUBLISH PUBSUB
			INFO ROLE CONFIG SAVE BGSAVE LASTSAVE SHUTDOWN REPLICAOF SLAVEOF REPLCONF PSYNC`,
	} {
		for _, name := range strings.Fields(names) {
			commands[name] = k
		}
	}
}

// grows is what a request may add to what is kept, in bytes.
func grows(args []string) int64 {
	n := int64(0)
	for _, a := range args {
		n += int64(len(a)) + perItem
	}
	return n
}

// perItem is what one value or key takes beside its bytes.
const perItem = 96

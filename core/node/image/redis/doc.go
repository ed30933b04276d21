// Package redis is the program of the image redis: github.com/alicebob/miniredis behind a front that takes
// what strangers send.
//
//	main.go       the command line, the port, the end
//	front.go      reads requests within bounds and hands them on, one whole request at a time
//	commands.go   which commands there are, and which of them write
//	hook.go       what is done before and after a command: who may write, memory, replicas
//	leader.go     replicas of this server: all data first, then each write (PSYNC)
//	follower.go   this server as a replica
//	rdb.go        all data as a file, in Redis' own format (dump.rdb)
//	info.go       INFO, ROLE, CONFIG
//
// There are strings, lists, hashes, sets, sorted sets, expiry, transactions without WATCH, and
// publish/subscribe. Commands that wait (BLPOP), scripts and streams are refused with Redis' words for a
// command that it does not know. Data is written to dump.rdb when the server is asked to (SAVE, BGSAVE,
// SHUTDOWN) and when it ends by SIGTERM or SIGINT.
//
// The package may import the standard library, miniredis and core/program. It must never import
// Kubernetes or the runtime.
package redis

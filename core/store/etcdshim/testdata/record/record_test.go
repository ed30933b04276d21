// Package record writes the golden files of core/store/etcdshim from a real etcd.
// It is a module of its own, so that Tabernetes does not depend on etcd's server.
// From this directory:
//
//	sed 's/^package etcdshim/package record/' ../../transcript_test.go > transcript_test.go
//	go test -count=1 . && rm transcript_test.go
package record

import (
	"fmt"
	"net/url"
	"os"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

func TestRecord(t *testing.T) {
	for i, seed := range []uint64{112, 119, 128, 135} {
		const steps = 500
		name := fmt.Sprintf("../etcd-%d.txt", seed)
		text := fmt.Sprintf("seed %d steps %d\n%s", seed, steps, record(t, start(t, 24700+2*i), seed, steps))
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// start runs an etcd on port and port+1 until the test ends.
func start(t *testing.T, port int) *clientv3.Client {
	t.Helper()
	at := func(port int) []url.URL { return []url.URL{{Scheme: "http", Host: fmt.Sprint("127.0.0.1:", port)}} }
	cfg := embed.NewConfig()
	cfg.Dir = t.TempDir()
	cfg.UnsafeNoFsync = true
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = at(port), at(port)
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = at(port+1), at(port+1)
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	<-e.Server.ReadyNotify()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{at(port)[0].String()}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

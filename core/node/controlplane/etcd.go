package controlplane

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/store"
)

// greeting begins the one line that an etcd of a pod's says to who connects; the store's key follows. Who
// reads it may use the store, as it may use a real etcd that asks for no credentials.
const greeting = "tabernetes-store "

// stores are the *store.Store of the etcds that run in pods, by key. The cluster's own is not among them, and
// keys are not to be guessed: what a pod answers on port 2379 is up to the pod.
var stores sync.Map

// etcd is what the cluster has in etcd's place, once more: an empty store in memory, for as long as the
// container runs. API servers in pods find it at its address, through the pods' network; it speaks no gRPC.
func etcd(ctx context.Context, p *program.Process) int {
	return untilTold(ctx, p, func(ctx context.Context) error {
		at, err := listenURLs(p.Args[1:])
		if err != nil {
			return err
		}
		s, err := store.Open(store.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		defer store.Offer(s)()
		key := rand.Text()
		stores.Store(key, s)
		defer stores.Delete(key)
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		for _, address := range at {
			ln, err := p.Net.Listen(ctx, "tcp", address)
			if err != nil {
				return err
			}
			defer context.AfterFunc(ctx, func() { ln.Close() })()
			go greet(ctx, ln, key)
		}
		fmt.Fprintf(p.Stdout, "tabernetes: this is not etcd's server. It is the store that this cluster has in etcd's place, a second one: empty, in memory, gone with the container.\n"+
			"tabernetes: sample-apiserver finds it at %s. It does not speak etcd's protocol: etcdctl and other programs cannot use it.\n", strings.Join(at, ", "))
		go charge(ctx, cancel, p, s)
		<-ctx.Done()
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
}

// listenURLs are the addresses of --listen-client-urls. Other flags of etcd's are about what is not here.
func listenURLs(args []string) (addresses []string, err error) {
	flags := pflag.NewFlagSet("etcd", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	urls := flags.StringSlice("listen-client-urls", []string{"http://localhost:2379"}, "")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	for _, text := range *urls {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" || u.Port() == "" {
			return nil, fmt.Errorf("--listen-client-urls: %q is not http://HOST:PORT, which is all that it serves here", text)
		}
		addresses = append(addresses, u.Host)
	}
	return addresses, nil
}

// greet says the store's key to everybody who connects, and keeps the connection until ctx is done: its end
// is how they know.
func greet(ctx context.Context, ln net.Listener, key string) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			if _, err := c.Write([]byte(greeting + key + "\n")); err != nil {
				return
			}
			var nothing [1]byte
			_, _ = c.Read(nothing[:]) // until either side closes
		}()
	}
}

// charge puts what the store holds on the container's account, which ends it beyond its limit.
func charge(ctx context.Context, cancel context.CancelCauseFunc, p *program.Process, s *store.Store) {
	held := p.Memory()
	defer held.Free()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		status := s.Status()
		if err := held.Set(status.Bytes + status.HistoryBytes); err != nil {
			cancel(err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

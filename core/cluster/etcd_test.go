//go:build !js

package cluster_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/etcd/client/v3/kubernetes"

	"github.com/tabernetes/tabernetes/scripts/etcdtest"
)

// etcd is the one that the tests run on, nil if they run on the store.
var etcd *etcdtest.Server

// etcdClient is what the apiserver's storage has: on the store, or on the etcd.
func etcdClient(t *testing.T) *kubernetes.Client {
	t.Helper()
	if etcd == nil {
		return running.Store().Client()
	}
	client, err := etcd.Client()
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// etcdServers starts an etcd if the tests are to run on one. It listens in the network
// namespace that the tests run in.
func etcdServers(dir string) (urls []string, stop func(), err error) {
	if os.Getenv(onEtcd) == "" {
		return nil, func() {}, nil
	}
	etcd, err = etcdtest.Start(etcdtest.Options{Dir: filepath.Join(dir, "etcd")})
	if err != nil {
		return nil, nil, err
	}
	return []string{etcd.URL}, etcd.Close, nil
}

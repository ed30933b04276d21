//go:build !js

package cluster_test

import (
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/store/etcdtest"
)

// etcdServers starts an etcd if the tests are to run on one. It listens in the network
// namespace that the tests run in.
func etcdServers(dir string) (urls []string, stop func(), err error) {
	if os.Getenv(onEtcd) == "" {
		return nil, func() {}, nil
	}
	e, err := etcdtest.Start(etcdtest.Options{Dir: filepath.Join(dir, "etcd")})
	if err != nil {
		return nil, nil, err
	}
	return []string{e.URL}, e.Close, nil
}

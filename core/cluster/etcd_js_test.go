package cluster_test

import (
	"errors"
	"os"
)

func etcdServers(string) (urls []string, stop func(), err error) {
	if os.Getenv(onEtcd) != "" {
		return nil, nil, errors.New("there is no etcd on js")
	}
	return nil, func() {}, nil
}

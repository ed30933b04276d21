package cluster

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"
)

// health is where a component says how it is. The listener is nil if there is no place for it.
type health struct {
	listener  net.Listener
	cert, key string // files
}

// openHealth opens the address of this machine at which upstream's apiserver looks for a component when
// somebody asks for componentstatuses (componentStatusStorage in pkg/registry/core/rest/storage_core.go).
// Where another cluster on the machine has it, that one is looked at, and this one runs without.
func (c *Cluster) openHealth(component string, port int) (health, error) {
	pair, err := c.keys.CA.Server(component, nil, certutil.AltNames{
		DNSNames: []string{"localhost"}, IPs: []net.IP{net.IPv4(127, 0, 0, 1)},
	})
	if err != nil {
		return health{}, err
	}
	h := health{cert: c.path("pki", component+".crt"), key: c.path("pki", component+".key")}
	if err := errors.Join(os.WriteFile(h.cert, pair.Cert, 0o600), os.WriteFile(h.key, pair.Key, 0o600)); err != nil {
		return health{}, fmt.Errorf("write the serving certificate of %s: %w", component, err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if h.listener, err = net.Listen("tcp", address); err != nil {
		klog.InfoS("Componentstatuses will not be of this cluster", "component", component, "err", err)
		h.listener = nil
	}
	return h, nil
}

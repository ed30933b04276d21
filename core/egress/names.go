package egress

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// serviceLabel is what follows the namespace in a Service's name in full, whatever the cluster's domain is.
const serviceLabel = "svc"

// isServiceName is whether a host is written as a Service's name is: NAME.NAMESPACE.svc, or with a domain behind it.
func isServiceName(host string) bool {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	return len(labels) >= 3 && labels[0] != "" && labels[1] != "" && strings.EqualFold(labels[2], serviceLabel)
}

// explainName adds to the error of a name that nobody knows, if it is a Service's, why that is so and what to write in
// its place. The API server and the scheduler ask their machine's DNS, as they do where kubeadm makes them static pods
// on the machine's network: the cluster's own DNS is for its pods. A machine that is told to ask it finds the name, so
// that it is asked first. Of any other name it says how one is reached. Any other error, and none, stays as it is.
func explainName(address string, err error) error {
	var unknown *net.DNSError
	if !errors.As(err, &unknown) {
		return err
	}
	host, _, split := net.SplitHostPort(address)
	if split != nil {
		host = address
	}
	if !isServiceName(host) {
		return fmt.Errorf("%.100q is outside of the cluster, whose control plane reaches it by a hub only: name %.120q in the configuration's outside.addresses, "+
			"and start the hub with --outside %.120s: %w", host, address, address, err)
	}
	return fmt.Errorf("%.100q is the name of a Service, which only the cluster's DNS knows, and the control plane does not ask that: "+
		"name the Service by clientConfig.service where there is that field, else by its clusterIP: %w", host, err)
}

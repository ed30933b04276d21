package tunnel

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// VisitTarget is a Service of a cluster, and one of its ports; 0 leaves the port to the cluster: 80 if it has that,
// otherwise its first.
type VisitTarget struct {
	Name, Namespace string
	Port            uint16
}

// String is what stands in a Header: "web.default:80".
func (t VisitTarget) String() string {
	return net.JoinHostPort(t.Name+"."+t.Namespace, strconv.Itoa(int(t.Port)))
}

// ParseVisitTarget reads what String writes. Names are labels of DNS.
func ParseVisitTarget(text string) (VisitTarget, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return VisitTarget{}, fmt.Errorf("%.200q is no Service's address", text)
	}
	name, namespace, _ := strings.Cut(host, ".")
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || !IsLabel(name) || !IsLabel(namespace) {
		return VisitTarget{}, fmt.Errorf("%.200q is no Service's address", text)
	}
	return VisitTarget{name, namespace, uint16(n)}, nil
}

// IsLabel tells whether a text is one label of DNS, in lower case: 63 letters, digits and hyphens at most.
func IsLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

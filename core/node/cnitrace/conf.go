package cnitrace

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Bounds of a configuration or a result: bytes of JSON, and how deep it is.
const (
	maxConf  = 8 << 10
	maxDepth = 16
)

// conf is a plugin's configuration or result as a step keeps it. A configuration is the machine's owner's
// and may hold anything, so that a text is kept only under a name that CNI or one of its own plugins knows.
func conf(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return nil
	}
	var whole any
	if json.Unmarshal(text, &whole) != nil {
		return said("what is no JSON")
	}
	whole = kept(whole, 0)
	out, err := json.Marshal(whole)
	if fields, ok := whole.(map[string]any); ok && err == nil && len(out) > maxConf && fields["prevResult"] != nil {
		// The step before it has that one as its own result.
		fields["prevResult"] = trace.Withheld
		out, err = json.Marshal(whole)
	}
	if err != nil || len(out) > maxConf {
		return said(fmt.Sprintf("%d bytes, more than %d", len(text), maxConf))
	}
	return out
}

// said stands in the place of what is not kept, and says what that was.
func said(what string) json.RawMessage {
	out, _ := json.Marshal(trace.Withheld + ": " + what)
	return out
}

// kept is a value without the texts below names that are not known. The tree is changed.
func kept(value any, depth int) any {
	if depth > maxDepth {
		return trace.Withheld
	}
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			// A name may be anybody's as well.
			name = trace.Text(name)
			switch inner.(type) {
			case bool, nil:
				out[name] = inner
			default:
				if known[name] {
					out[name] = kept(inner, depth+1)
				} else {
					out[name] = trace.Withheld
				}
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = kept(v[i], depth+1)
		}
		return v
	case string:
		return trace.Text(v)
	}
	return value
}

// pairs are CNI_ARGS without the values that are not the runtime's names of a pod.
func pairs(args string) string {
	if args == "" {
		return ""
	}
	all := strings.Split(trace.Text(args), ";")
	for i, pair := range all {
		name, _, has := strings.Cut(pair, "=")
		switch name {
		case "IgnoreUnknown", "K8S_POD_NAMESPACE", "K8S_POD_NAME", "K8S_POD_INFRA_CONTAINER_ID", "K8S_POD_UID":
		default:
			if has {
				all[i] = name + "=" + trace.Withheld
			} else {
				all[i] = trace.Withheld
			}
		}
	}
	return strings.Join(all, ";")
}

// known are the names of CNI's specification (1.1.0: configurations, capabilities, results, errors) and of the
// plugins that nodes call here: bridge, host-local, portmap, bandwidth, loopback, and tabernetes.
var known = names(`
	cniVersion cniVersions name type plugins capabilities runtimeConfig prevResult ipam dns
	portMappings hostPort containerPort protocol hostIP bandwidth ips mac ipRanges
	interfaces sandbox mtu socketPath pciID address gateway interface routes dst gw advmss priority table scope
	nameservers domain search options code msg details
	bridge isGateway isDefaultGateway ipMasq ipMasqBackend hairpinMode vlan vlanTrunk id minID maxID
	ranges subnet rangeStart rangeEnd dataDir resolvConf
	snat backend masqAll markMasqBit externalSetMarkChain conditionsV4 conditionsV6
	ingressRate ingressBurst egressRate egressBurst unshapedSubnets shapedSubnets
	delegate delegateVersion events
`)

func names(list string) map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		out[name] = true
	}
	return out
}

package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/relay"
)

// Upstream asks extenders by a transport that nobody can be given a dialer for, so that it would dial past the pod's
// network, or the rules by which a machine of the control plane reaches Services. It is told of an address of the
// process in their place, with a key in it, which leads each request on over that network; the pod's files, or the
// machine's, are read for it.

// Bounds of a scheduler's extenders.
const (
	maxExtenders = 16
	// maxAnswer is of one answer in bytes, for which upstream has no bound: nodes, whole, of a cluster of this size.
	maxAnswer = 16 << 20
)

// extenders are the ways of one scheduler to those who extend it.
type extenders struct {
	relay  *relay.Relay
	theirs map[string]*way // by our addresses
}

// way is to one extender.
type way struct {
	address string
	// failed is why it could not be asked last; nil if it answered.
	failed atomic.Pointer[error]
}

// network is what extenders are asked over.
type network struct {
	dial dialFunc
	read func(name string) ([]byte, error)
}

// takeOver takes the extenders of a configuration over: what it says of them is changed to lead here. It is nil if
// there are none.
func (n network) takeOver(ctx context.Context, config map[string]any) (*extenders, error) {
	text, err := json.Marshal(config["extenders"])
	if err != nil {
		return nil, err
	}
	var list []configv1.Extender
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		return nil, fmt.Errorf("extenders: %w", err)
	}
	switch {
	case len(list) == 0:
		return nil, nil
	case len(list) > maxExtenders:
		return nil, fmt.Errorf("%d extenders are too many; at most %d are asked", len(list), maxExtenders)
	case n.dial == nil:
		return nil, errors.New("extenders: there is no network to ask them over")
	}
	r, err := relay.Serve()
	if err != nil {
		return nil, fmt.Errorf("listen for what extenders are asked: %w", err)
	}
	e := &extenders{relay: r, theirs: map[string]*way{}}
	for i := range list {
		w := &way{address: list[i].URLPrefix}
		on, err := n.wayTo(ctx, &list[i], w)
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("extenders[%d]: %w", i, err)
		}
		ours := r.Lead(on)
		e.theirs[ours] = w
		list[i].URLPrefix, list[i].EnableHTTPS, list[i].TLSConfig = ours, false, nil
	}
	config["extenders"] = list
	return e, nil
}

// wayTo leads to an extender as upstream would have asked it (makeTransport of pkg/scheduler/extender.go).
func (n network) wayTo(ctx context.Context, c *configv1.Extender, w *way) (on relay.Way, err error) {
	target, err := url.Parse(strings.TrimRight(c.URLPrefix, "/"))
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return on, fmt.Errorf("urlPrefix %.200q is no address of HTTP", c.URLPrefix)
	}
	tls := rest.TLSClientConfig{}
	if t := c.TLSConfig; t != nil {
		tls = rest.TLSClientConfig{Insecure: t.Insecure, ServerName: t.ServerName, CertData: t.CertData, KeyData: t.KeyData, CAData: t.CAData}
		for _, f := range []struct {
			name string
			into *[]byte
		}{{t.CertFile, &tls.CertData}, {t.KeyFile, &tls.KeyData}, {t.CAFile, &tls.CAData}} {
			if f.name == "" {
				continue
			}
			if *f.into, err = n.read(f.name); err != nil {
				return on, fmt.Errorf("tlsConfig: %w", err)
			}
		}
	}
	if c.EnableHTTPS && len(tls.CAData) == 0 {
		tls.Insecure = true
	}
	tlsConfig, err := rest.TLSConfigFor(&rest.Config{TLSClientConfig: tls})
	if err != nil {
		return on, fmt.Errorf("tlsConfig: %w", err)
	}
	return relay.Way{
		Target:    target,
		Transport: &http.Transport{DialContext: n.dial, TLSClientConfig: tlsConfig, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute},
		MaxAnswer: maxAnswer,
		Answered:  func() { w.failed.Store(nil) },
		Failed: func(answer http.ResponseWriter, err error) {
			// Upstream tells of the code only.
			w.failed.Store(&err)
			klog.FromContext(ctx).Error(err, "The extender does not answer", "extender", w.address)
			answer.WriteHeader(http.StatusBadGateway)
		},
	}, nil
}

// named has a scheduler call them by their own addresses. Its slice is the one that its profiles have, too.
func (e *extenders) named(s *scheduler.Scheduler) {
	if e == nil {
		return
	}
	for i, x := range s.Extenders {
		s.Extenders[i] = &extender{Extender: x, ours: x.Name(), theirs: e.theirs[x.Name()]}
	}
}

// unsaid has a configuration, which /configz shows, name them as it did.
func (e *extenders) unsaid(c *config.KubeSchedulerConfiguration) {
	if e == nil {
		return
	}
	for i := range c.Extenders {
		if w := e.theirs[c.Extenders[i].URLPrefix]; w != nil {
			c.Extenders[i].URLPrefix = w.address
		}
	}
}

// Close ends the ways.
func (e *extenders) Close() {
	if e != nil {
		e.relay.Close()
	}
}

// extender is upstream's, by the address that its configuration has.
type extender struct {
	fwk.Extender
	ours   string
	theirs *way
}

var _ fwk.Extender = (*extender)(nil)

// say is an error without our address, whose key is nobody's to know, and with why there was no answer.
func (e *extender) say(err error) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(err.Error(), e.ours, strings.TrimRight(e.theirs.address, "/"))
	if why := e.theirs.failed.Load(); why != nil {
		text += ": " + (*why).Error()
	}
	return errors.New(text)
}

// Name implements fwk.Extender.
func (e *extender) Name() string { return e.theirs.address }

// Filter implements fwk.Extender.
func (e *extender) Filter(pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, extenderv1.FailedNodesMap, extenderv1.FailedNodesMap, error) {
	left, failed, never, err := e.Extender.Filter(pod, nodes)
	return left, failed, never, e.say(err)
}

// Prioritize implements fwk.Extender.
func (e *extender) Prioritize(pod *corev1.Pod, nodes []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64, error) {
	scores, weight, err := e.Extender.Prioritize(pod, nodes)
	return scores, weight, e.say(err)
}

// Bind implements fwk.Extender.
func (e *extender) Bind(b *corev1.Binding) error { return e.say(e.Extender.Bind(b)) }

// ProcessPreemption implements fwk.Extender.
func (e *extender) ProcessPreemption(pod *corev1.Pod, victims map[string]*extenderv1.Victims, nodes fwk.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	left, err := e.Extender.ProcessPreemption(pod, victims, nodes)
	return left, e.say(err)
}

// dialFunc is a pod's network, as far as extenders are asked over it.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

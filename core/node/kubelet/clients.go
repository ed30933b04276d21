package kubelet

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/kubelet/server"
)

// clients are the kubelet's three, as cmd/kubelet/app/server.go makes them: for
// everything, for events with a rate limit of their own, and for heartbeats with
// none and a timeout.
type clients struct {
	api       kubernetes.Interface
	events    typedcorev1.EventsGetter
	heartbeat kubernetes.Interface
}

func newClients(base *rest.Config, s *options.KubeletServer) (*clients, error) {
	cfg := rest.AddUserAgent(rest.CopyConfig(base), "kubelet")
	if cfg.ContentType == "" {
		cfg.ContentType = s.ContentType
		cfg.AcceptContentTypes = s.ContentType + "," + runtime.ContentTypeJSON
	}
	// No rate limit: the API is in the same process, and its own priority and
	// fairness guards it. Upstream's 50 a second would show when 30 pods start.
	cfg.QPS = -1

	events := rest.CopyConfig(cfg)
	events.QPS, events.Burst = float32(s.EventRecordQPS), int(s.EventBurst)

	heartbeat := rest.CopyConfig(cfg)
	heartbeat.QPS = -1
	heartbeat.Timeout = s.NodeStatusUpdateFrequency.Duration

	var c clients
	var err error
	if c.api, err = kubernetes.NewForConfig(cfg); err != nil {
		return nil, fmt.Errorf("make the kubelet's client: %w", err)
	}
	if c.events, err = typedcorev1.NewForConfig(events); err != nil {
		return nil, fmt.Errorf("make the kubelet's event client: %w", err)
	}
	if c.heartbeat, err = kubernetes.NewForConfig(heartbeat); err != nil {
		return nil, fmt.Errorf("make the kubelet's heartbeat client: %w", err)
	}
	return &c, nil
}

// newRecorder makes a recorder whose events reach the API. The kubelet makes the
// same for itself if it is given none; the pod source needs it before that.
func newRecorder(ctx context.Context, events typedcorev1.EventsGetter, nodeName string) record.EventRecorderLogger {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: events.Events("")})
	return broadcaster.NewRecorder(legacyscheme.Scheme, corev1.EventSource{Component: server.ComponentKubelet, Host: nodeName})
}

package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"

	"github.com/tabernetes/tabernetes/core/balancer"
	"github.com/tabernetes/tabernetes/core/pki"
)

// runBalancer gives Services of type LoadBalancer their addresses, until ctx is done.
func (c *Cluster) runBalancer(ctx context.Context) error {
	config := c.insider(pki.ServiceController).RESTConfig(pki.Pair{})
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("load balancer: %w", err)
	}
	events := record.NewBroadcaster(record.WithContext(ctx))
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(corev1.NamespaceAll)})
	return balancer.New(balancer.Options{
		Client: client, Informers: c.services.informers, Pool: balancerPool, Reserved: ingressIP,
		Events: events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "service-controller"}),
	}).Run(ctx)
}

package kubelet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// static is what upstream's sources of pods send (pkg/kubelet/config, sourceUpdate): all pods of the source.
type static = struct{ Pods []*corev1.Pod }

// anewWhenBooted stands before out, which is told of the node's static pods. A machine's kubelet starts them when the
// machine is on again after a shutdown, as it starts itself. This one goes on, and what a shutdown has ended is over
// for it; so they come again under other UIDs, which to upstream is a manifest that was replaced.
func anewWhenBooted[U ~static](ctx context.Context, out chan<- U, booted <-chan struct{}) chan<- U {
	in := make(chan U)
	go func() {
		var last U
		var seen bool
		boots := 0
		for {
			select {
			case <-ctx.Done():
				return
			case last = <-in:
				seen = true
			case <-booted:
				boots++
			}
			if !seen {
				continue
			}
			select {
			case out <- U{Pods: afterBoot(static(last).Pods, boots)}:
			case <-ctx.Done(): // nobody takes it any more
				return
			}
		}
	}()
	return in
}

// afterBoot are pods as they are called after so many boots.
func afterBoot(pods []*corev1.Pod, boots int) []*corev1.Pod {
	if boots == 0 {
		return pods
	}
	renamed := make([]*corev1.Pod, 0, len(pods))
	for _, p := range pods {
		sum := sha256.Sum256([]byte(string(p.UID) + " " + strconv.Itoa(boots)))
		p = p.DeepCopy()
		p.UID = types.UID(hex.EncodeToString(sum[:16]))                  // as long as upstream's
		p.Annotations[kubetypes.ConfigHashAnnotationKey] = string(p.UID) // a mirror pod is recognised by it
		renamed = append(renamed, p)
	}
	return renamed
}

package checkpoint

import (
	"bytes"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

const pods = "pods/"

// fresh is a value as it is put back for an object that is gone: a pod comes without what was said of containers that
// have ended, and is not ready before its kubelet says so. It keeps its phase: a ReplicaSet that has made pods of its own,
// because it came back before them, ends those that are Pending first (upstream's ActivePodsWithRanks). One that cannot
// be decoded is as it was: its kubelet puts that right.
func fresh(below, value string) []byte {
	if !strings.HasPrefix(below, pods) {
		return []byte(value)
	}
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode([]byte(value), nil, nil)
	pod, ok := object.(*corev1.Pod)
	if err != nil || !ok || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return []byte(value)
	}
	pod.Status = corev1.PodStatus{Phase: pod.Status.Phase, QOSClass: pod.Status.QOSClass}
	var out bytes.Buffer
	serializer := protobuf.NewSerializer(legacyscheme.Scheme, legacyscheme.Scheme)
	if err := legacyscheme.Codecs.EncoderForVersion(serializer, corev1.SchemeGroupVersion).Encode(pod, &out); err != nil {
		return []byte(value)
	}
	return out.Bytes()
}

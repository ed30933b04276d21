package controlplane

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// initializerImage is that of the initializer, and of the proxy that it adds.
const initializerImage = "images.tabernetes.internal/initializer"

const (
	// proxyPort is where the proxy listens.
	proxyPort = 15001
	// proxyAnnotation names the port of a pod that is to have a proxy, if it is not 80.
	proxyAnnotation = "proxy.example.com/port"
	// certificates is the ConfigMap, and certificatesPath where containers find it.
	certificates     = "test-certificates"
	certificatesPath = "/etc/test-certificates"
	// shortest is how many bytes a secret has, at least.
	shortest = 20
)

// addSidecar adds a proxy to a pod that exposes port 80, or names a port by annotation.
func addSidecar(o metav1.Object) (did string, err error) {
	p := o.(*corev1.Pod)
	port := 0
	for _, c := range p.Spec.Containers {
		if c.Name == "proxy" {
			return "", nil
		}
		for _, exposed := range c.Ports {
			if exposed.ContainerPort == 80 && exposed.Protocol == corev1.ProtocolTCP {
				port = 80
			}
		}
	}
	if text, ok := p.Annotations[proxyAnnotation]; ok {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return "", fmt.Errorf("annotation %s: %.40q is no port", proxyAnnotation, text)
		}
	}
	// On the node's own network the port would be the node's.
	if port == 0 || p.Spec.HostNetwork {
		return "", nil
	}
	yes, no, nobody := true, false, int64(65532)
	p.Spec.Containers = append(p.Spec.Containers, corev1.Container{
		Name: "proxy", Image: initializerImage, Command: []string{"/proxy"},
		Args:  []string{fmt.Sprintf("--listen=:%d", proxyPort), fmt.Sprintf("--to=127.0.0.1:%d", port)},
		Ports: []corev1.ContainerPort{{Name: "proxy", ContainerPort: proxyPort}},
		// Allowed by every Pod Security Standard: it is added to pods of namespaces that enforce one.
		SecurityContext: &corev1.SecurityContext{
			RunAsNonRoot: &yes, RunAsUser: &nobody, AllowPrivilegeEscalation: &no,
			Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	})
	return fmt.Sprintf("added container proxy, which leads port %d to %d", proxyPort, port), nil
}

// addCertificates mounts the namespace's test certificates into the pods of one namespace.
func addCertificates(namespace string) func(metav1.Object) (string, error) {
	return func(o metav1.Object) (string, error) {
		p := o.(*corev1.Pod)
		there := func(v corev1.Volume) bool { return v.Name == certificates }
		if p.Namespace != namespace || slices.ContainsFunc(p.Spec.Volumes, there) {
			return "", nil
		}
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: certificates, VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: certificates}},
		}})
		for _, containers := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
			for i := range containers {
				c := &containers[i]
				c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: certificates, MountPath: certificatesPath, ReadOnly: true})
			}
		}
		return "added volume " + certificates, nil
	}
}

// refuseShort refuses what is probably a password, and too short for one. Secrets of other types are not passwords.
func refuseShort(o metav1.Object) (string, error) {
	s := o.(*corev1.Secret)
	if s.Type != corev1.SecretTypeOpaque {
		return "", nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.Data)) {
		if n := len(s.Data[key]); n < shortest {
			return "", fmt.Errorf("%s has %d characters, and needs %d", key, n, shortest)
		}
	}
	return "", nil
}

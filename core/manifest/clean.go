package manifest

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// made are kinds whose objects belong to one cluster: its machines, what its components tell each other,
// and what its controllers make.
var made = []string{
	"nodes", "events", "events.events.k8s.io", "endpoints", "endpointslices.discovery.k8s.io",
	"leases.coordination.k8s.io", "leasecandidates.coordination.k8s.io", "csinodes.storage.k8s.io", "csistoragecapacities.storage.k8s.io",
	"volumeattachments.storage.k8s.io", "ipaddresses.networking.k8s.io", "servicecidrs.networking.k8s.io",
	"certificatesigningrequests.certificates.k8s.io", "podcertificaterequests.certificates.k8s.io",
	"controllerrevisions.apps", "componentstatuses", "resourceslices.resource.k8s.io",
	"storageversions.internal.apiserver.k8s.io", "podtemplates",
}

// systemNamespaces are made by each control plane (pkg/controlplane/controller/systemnamespaces, and
// pkg/registry/core/rest for "default").
var systemNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, "kube-node-lease"}

// ourDomain is in the names of the provisioner and the Ingress controller whose classes each of our clusters
// makes (core/cluster).
const ourDomain = "tabernetes.internal"

// worthHaving is false of what another cluster makes by itself, and of what is past.
func worthHaving(o *unstructured.Unstructured, resource string) bool {
	labels, annotations, namespace, name := o.GetLabels(), o.GetAnnotations(), o.GetNamespace(), o.GetName()
	switch {
	case o.GetDeletionTimestamp() != nil, metav1.GetControllerOf(o) != nil:
		return false
	case labels["kubernetes.io/bootstrapping"] == "rbac-defaults",
		labels["kube-aggregator.kubernetes.io/automanaged"] != "",
		annotations["apf.kubernetes.io/autoupdate-spec"] != "",
		annotations["pv.kubernetes.io/provisioned-by"] != "":
		return false
	case slices.ContainsFunc(o.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return m.Manager == "kube-apiserver" }) && strings.HasPrefix(name, "system"):
		return false
	case namespace == "kube-node-lease", strings.HasPrefix(name, "system:"), strings.HasPrefix(name, "tabernetes:"):
		return false
	}
	text := func(path ...string) string {
		s, _, _ := unstructured.NestedString(o.Object, path...)
		return s
	}
	switch resource {
	case "namespaces":
		return !slices.Contains(systemNamespaces, name)
	case "serviceaccounts":
		// Each controller of the control plane has one, as each namespace has.
		return name != "default" && namespace != metav1.NamespaceSystem
	case "configmaps":
		return name != "kube-root-ca.crt" && !slices.Contains([]string{"extension-apiserver-authentication", "kube-apiserver-legacy-service-account-token-tracking", "cluster-info"}, name)
	case "secrets":
		t := text("type")
		return t != "kubernetes.io/service-account-token" && t != "bootstrap.kubernetes.io/token"
	case "services":
		return namespace != metav1.NamespaceDefault || name != "kubernetes"
	case "storageclasses.storage.k8s.io":
		return name != "local-path" || !strings.HasSuffix(text("provisioner"), ourDomain)
	case "ingressclasses.networking.k8s.io":
		return name != "tabernetes" || !strings.HasPrefix(text("spec", "controller"), ourDomain+"/")
	case "apiservices.apiregistration.k8s.io":
		// Without a Service it is served by the control plane itself.
		_, served, _ := unstructured.NestedMap(o.Object, "spec", "service")
		return served
	case "priorityclasses.scheduling.k8s.io":
		return !strings.HasPrefix(name, "system-")
	case "pods":
		phase := text("status", "phase")
		return phase != "Succeeded" && phase != "Failed"
	case "jobs.batch":
		conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		return !slices.ContainsFunc(conditions, func(c any) bool {
			m, _ := c.(map[string]any)
			return (m["type"] == "Complete" || m["type"] == "Failed") && m["status"] == "True"
		})
	}
	return true
}

// ours are annotations that say what was done in one cluster.
var ours = []string{
	"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision",
	"pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller",
	"volume.kubernetes.io/selected-node", "volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner",
	"batch.kubernetes.io/job-tracking",
}

// clean takes away what the API server, controllers and the scheduler have filled in.
func clean(o *unstructured.Unstructured, resource string) {
	drop := func(path ...string) { unstructured.RemoveNestedField(o.Object, path...) }
	drop("status")
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "ownerReferences", "generateName"} {
		drop("metadata", field)
	}
	if annotations := o.GetAnnotations(); annotations != nil {
		for _, key := range ours {
			delete(annotations, key)
		}
		if o.SetAnnotations(annotations); len(annotations) == 0 {
			drop("metadata", "annotations")
		}
	}
	switch resource {
	case "namespaces":
		drop("spec")
		drop("metadata", "labels", "kubernetes.io/metadata.name")
	case "serviceaccounts":
		drop("secrets")
	case "services":
		if ip, _, _ := unstructured.NestedString(o.Object, "spec", "clusterIP"); ip != "None" {
			drop("spec", "clusterIP")
			drop("spec", "clusterIPs")
		}
		drop("spec", "healthCheckNodePort")
	case "persistentvolumes":
		drop("spec", "claimRef", "uid")
		drop("spec", "claimRef", "resourceVersion")
	case "persistentvolumeclaims":
		drop("spec", "volumeName")
	case "jobs.batch":
		if manual, _, _ := unstructured.NestedBool(o.Object, "spec", "manualSelector"); !manual {
			drop("spec", "selector")
			for _, label := range []string{"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"} {
				drop("spec", "template", "metadata", "labels", label)
				drop("metadata", "labels", label)
			}
		}
	case "pods":
		drop("spec", "nodeName")
		drop("spec", "priority") // admission makes it of the class
		dropTokens(o)
	}
}

// tokenVolume begins the name of the volume that admission gives to each pod
// (plugin/pkg/admission/serviceaccount).
const tokenVolume = "kube-api-access-"

func dropTokens(o *unstructured.Unstructured) {
	without := func(list []any) []any {
		return slices.DeleteFunc(list, func(item any) bool {
			m, _ := item.(map[string]any)
			name, _ := m["name"].(string)
			return strings.HasPrefix(name, tokenVolume)
		})
	}
	spec, _, _ := unstructured.NestedMap(o.Object, "spec")
	if volumes, ok := spec["volumes"].([]any); ok {
		spec["volumes"] = without(volumes)
	}
	for _, containers := range []string{"containers", "initContainers", "ephemeralContainers"} {
		list, _ := spec[containers].([]any)
		for _, c := range list {
			if container, ok := c.(map[string]any); ok {
				if mounts, ok := container["volumeMounts"].([]any); ok {
					container["volumeMounts"] = without(mounts)
				}
			}
		}
	}
	delete(spec, "ephemeralContainers") // they can be added to a pod that runs only
	o.Object["spec"] = spec
}

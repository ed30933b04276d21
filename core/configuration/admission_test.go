package configuration_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// off is every plugin that is on by default; on, every one that is not and can be beside the others.
var (
	off = []string{
		"NamespaceLifecycle", "LimitRanger", "ServiceAccount", "DefaultStorageClass", "PersistentVolumeClaimResize", "DefaultTolerationSeconds",
		"MutatingAdmissionWebhook", "ValidatingAdmissionWebhook", "ResourceQuota", "StorageObjectInUseProtection", "PodGroupProtection", "Priority",
		"TaintNodesByCondition", "RuntimeClass", "CertificateApproval", "CertificateSigning", "ClusterTrustBundleAttest", "CertificateSubjectRestriction",
		"DefaultIngressClass", "PodSecurity", "PodTopologyLabels", "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy", "NodeRestriction",
	}
	on = []string{
		"AlwaysPullImages", "EventRateLimit", "ExtendedResourceToleration", "ImagePolicyWebhook", "PodNodeSelector", "PodTolerationRestriction",
		"NamespaceAutoProvision", "DenyServiceExternalIPs", "LimitPodHardAntiAffinityTopology", "OwnerReferencesPermissionEnforcement",
		"SecurityContextDeny", "InitialResources", "PodPreset", // ours
	}
)

const admissionOfDoors = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  configuration: {apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: [{type: Namespace, qps: 1, burst: 2}]}
- name: ImagePolicyWebhook
  configuration: {imagePolicy: {kubeConfigFile: $(CONFIG_DIR)/images, allowTTL: 1, denyTTL: 1, retryBackoff: 500, defaultAllow: false}}
`

// dry changes nothing that is stored.
var dry = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

// auditedBy is what the audit event of a row's request has of a plugin that is on: part of each annotation, by its key.
// A plugin that writes none is seen in its refusal, which every event has.
var auditedBy = map[string]map[string]string{
	"PodSecurity": {
		"pod-security.kubernetes.io/enforce-policy": "baseline:latest", "pod-security.kubernetes.io/audit-violations": "would violate PodSecurity \"restricted:latest\": ",
	},
	"ImagePolicyWebhook": {"imagepolicywebhook.image-policy.k8s.io/looked": "at evil"},
	"ValidatingAdmissionPolicy": {
		"validation.policy.admission.k8s.io/validation_failure": `"message":"not longer than four"`, "short/of": "five5",
	},
	"ValidatingAdmissionPolicy, within its parameter":     {"short/of": "four"},
	"ValidatingAdmissionWebhook":                          {"v.doors.example/looked": "at m"},
	"ValidatingAdmissionWebhook, unreachable and ignored": {"failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "gone-open.doors.example"},
	"ValidatingAdmissionWebhook, late and ignored":        {"failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "late-open.doors.example"},
	"MutatingAdmissionWebhook, late and ignored":          {"failed-open.mutation.webhook.admission.k8s.io/round_0_index_1": "late-mutates.doors.example"},
	"MutatingAdmissionWebhook": {
		"m.doors.example/looked": "at m", "mutation.webhook.admission.k8s.io/round_0_index_0": `"webhook":"m.doors.example","mutated":true`,
	},
}

// TestAdmission: each row does something whose outcome is another one when its plugin is off. The audit event says the
// same, and what the plugin has written into it.
func TestAdmission(t *testing.T) {
	hook := httptest.NewTLSServer(http.HandlerFunc(reviewAdmission))
	defer hook.Close()
	configure(t, nil)
	var last answer // to what a row is about
	tidy, client := admin(t), noting(t, running.AdminConfig(), &last)
	runSeen(t, tidy)
	prepareAdmission(t, hook)
	pod := func(ns string, change func(*corev1.Pod), see func(*corev1.Pod) string) func() string {
		return func() string {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "door", ImagePullPolicy: corev1.PullIfNotPresent}}}}
			change(p)
			made, err := client.CoreV1().Pods(ns).Create(t.Context(), p, dry)
			if err != nil {
				return err.Error()
			}
			return see(made)
		}
	}
	created := func(*corev1.Pod) string { return "created" }
	same := func(*corev1.Pod) {}
	tolerates := func(p *corev1.Pod) (keys string) {
		for _, toleration := range p.Spec.Tolerations {
			keys += toleration.Key + ";"
		}
		return keys + "created"
	}
	outcome := func(err error) string {
		if err != nil {
			return err.Error()
		}
		return "created"
	}
	type row struct {
		plugin  string
		do      func() string
		on, off string // part of it
	}
	rows := []row{
		{"LimitRanger", pod("doors-limits", same, func(p *corev1.Pod) string { return "cpu " + p.Spec.Containers[0].Resources.Limits.Cpu().String() }), "cpu 100m", "cpu 0"},
		{"ResourceQuota", pod("doors-quota", same, created), "exceeded quota: none", "created"},
		{"ResourceQuota, another scope", pod("doors-quota", func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1m")}
		}, created), "created", "created"},
		{"PodSecurity", pod("doors-secure", func(p *corev1.Pod) { p.Spec.HostNetwork = true }, created), "violates PodSecurity", "created"},
		{"NodeRestriction", func() string {
			node := rest.AnonymousClientConfig(running.AdminConfig())
			node.BearerToken = "node"
			_, err := noting(t, node, &last).CoreV1().Nodes().Patch(t.Context(), "node-1", types.MergePatchType,
				[]byte(`{"metadata": {"labels": {"node-restriction.kubernetes.io/x": "1"}}}`), metav1.PatchOptions{DryRun: dry.DryRun})
			return outcome(err)
		}, "is not allowed to modify labels", "created"},
		{"NamespaceLifecycle", func() string {
			return outcome(client.CoreV1().Namespaces().Delete(t.Context(), "default", metav1.DeleteOptions{DryRun: dry.DryRun}))
		}, "may not be deleted", "created"},
		{"NamespaceAutoProvision", func() string {
			maps := client.CoreV1().ConfigMaps("doors-auto")
			if _, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, metav1.CreateOptions{}); err != nil {
				return err.Error()
			}
			defer func() { _ = tidy.CoreV1().ConfigMaps("doors-auto").Delete(t.Context(), "m", metav1.DeleteOptions{}) }()
			_, err := tidy.CoreV1().Namespaces().Get(t.Context(), "doors-auto", metav1.GetOptions{})
			_ = tidy.CoreV1().Namespaces().Delete(t.Context(), "doors-auto", metav1.DeleteOptions{})
			return outcome(err)
		}, "created", `namespaces "doors-auto" not found`},
		{"AlwaysPullImages", pod("doors", same, func(p *corev1.Pod) string { return string(p.Spec.Containers[0].ImagePullPolicy) }), "Always", "IfNotPresent"},
		{"ImagePolicyWebhook", pod("doors", func(p *corev1.Pod) { p.Spec.Containers[0].Image = "evil" }, created), "image policy webhook backend denied one or more images: no evil", "created"},
		{"EventRateLimit", func() string {
			for i := range 5 {
				event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("e.%d", i)}, InvolvedObject: corev1.ObjectReference{Kind: "Namespace", Name: "doors", Namespace: "doors"}, Type: "Normal", Reason: "R"}
				if _, err := client.CoreV1().Events("doors").Create(t.Context(), event, metav1.CreateOptions{}); err != nil {
					return err.Error()
				}
				_ = tidy.CoreV1().Events("doors").Delete(t.Context(), event.Name, metav1.DeleteOptions{})
			}
			return "created"
		}, "limit reached on type Namespace", "created"},
		{"PodNodeSelector", pod("doors", same, func(p *corev1.Pod) string { return fmt.Sprint(p.Spec.NodeSelector) }), "map[zone:a]", "map[]"},
		{"PodTolerationRestriction", pod("doors", same, tolerates), "door;", "created"},
		{"ExtendedResourceToleration", pod("doors", func(p *corev1.Pod) {
			list := corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}
			p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: list, Limits: list}
		}, tolerates), "example.com/gpu;", "created"},
		{"SecurityContextDeny", pod("doors", func(p *corev1.Pod) {
			root := int64(0)
			p.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{RunAsUser: &root}
		}, created), "SecurityContext.RunAsUser is forbidden", "created"},
		{"PodPreset", pod("doors", func(p *corev1.Pod) { p.Labels = map[string]string{"preset": "yes"} }, presetIn), "DB=db.example.com;cache;", "nothing"},
		{"PodPreset, of other pods", pod("doors", same, presetIn), "nothing", "nothing"},
		{"PodPreset, against the pod's own word", pod("doors", func(p *corev1.Pod) {
			p.Labels = map[string]string{"preset": "yes"}
			p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "DB", Value: "mine"}}
		}, presetIn), "DB=mine;nothing", "DB=mine;nothing"},
		{"DefaultTolerationSeconds", pod("doors", same, tolerates), "node.kubernetes.io/not-ready;", "created"},
		{"Priority", pod("doors", func(p *corev1.Pod) { p.Spec.PriorityClassName = "missing" }, created), "no PriorityClass with name missing was found", "created"},
		{"RuntimeClass", pod("doors", func(p *corev1.Pod) { missing := "missing"; p.Spec.RuntimeClassName = &missing }, created), `RuntimeClass "missing" not found`, "created"},
		{"ServiceAccount", pod("doors", same, func(p *corev1.Pod) string { return "as " + p.Spec.ServiceAccountName + "." }), "as default.", "as ."},
		{"LimitPodHardAntiAffinityTopology", pod("doors", func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{}}}}}
		}, created), "affinity.PodAntiAffinity", "created"},
		{"TaintNodesByCondition", func() string {
			n, err := client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "made"}}, dry)
			return fmt.Sprint(outcome(err), n.Spec.Taints)
		}, "node.kubernetes.io/not-ready", "created[]"},
		{"StorageObjectInUseProtection", func() string {
			c, err := client.CoreV1().PersistentVolumeClaims("doors").Create(t.Context(), claim(), dry)
			return fmt.Sprint(outcome(err), c.Finalizers)
		}, "kubernetes.io/pvc-protection", "created[]"},
		{"DefaultStorageClass", func() string {
			c, err := client.CoreV1().PersistentVolumeClaims("doors").Create(t.Context(), claim(), dry)
			return fmt.Sprint(outcome(err), c.Spec.StorageClassName != nil)
		}, "createdtrue", "createdfalse"},
		{"DefaultIngressClass", func() string {
			i, err := client.NetworkingV1().Ingresses("doors").Create(t.Context(), &networkingv1.Ingress{
				ObjectMeta: metav1.ObjectMeta{Name: "i"},
				Spec:       networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "s", Port: networkingv1.ServiceBackendPort{Number: 80}}}},
			}, dry)
			return fmt.Sprint(outcome(err), i.Spec.IngressClassName != nil)
		}, "createdtrue", "createdfalse"},
		{"DenyServiceExternalIPs", func() string {
			_, err := client.CoreV1().Services("doors").Create(t.Context(), &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: corev1.ServiceSpec{ExternalIPs: []string{"192.0.2.7"}, Ports: []corev1.ServicePort{{Port: 80}}},
			}, dry)
			return outcome(err)
		}, "Use of external IPs is denied", "created"},
		{"CertificateSubjectRestriction", func() string {
			_, err := client.CertificatesV1().CertificateSigningRequests().Create(t.Context(), mastersRequest(t), dry)
			return outcome(err)
		}, "system:masters", "created"},
		{"ValidatingAdmissionPolicy", func() string { return outcome(mapIn(t, client, "doors-vap", "five5")) }, "not longer than four", "created"},
		{"ValidatingAdmissionPolicy, within its parameter", func() string { return outcome(mapIn(t, client, "doors-vap", "four")) }, "created", "created"},
		{"MutatingAdmissionPolicy", func() string {
			m, err := client.CoreV1().ConfigMaps("doors-map").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, dry)
			return outcome(err) + m.Labels["added"]
		}, "createdbypolicy", "created"},
		{"MutatingAdmissionPolicy, by its parameter", func() string {
			m, err := client.CoreV1().ConfigMaps("doors-map").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, dry)
			return outcome(err) + m.Labels["longest"]
		}, "created4", "created"},
		{"ValidatingAdmissionWebhook", func() string { return outcome(mapIn(t, client, "doors-hook", "refuse")) }, "the hook refuses", "created"},
		{"ValidatingAdmissionWebhook, unreachable", func() string { return outcome(mapIn(t, client, "doors-gone-closed", "v")) }, `failed calling webhook "gone-closed.doors.example"`, "created"},
		{"ValidatingAdmissionWebhook, unreachable and ignored", func() string { return outcome(mapIn(t, client, "doors-gone-open", "v")) }, "created", "created"},
		{"ValidatingAdmissionWebhook, late", func() string { return outcome(mapIn(t, client, "doors-late-closed", "v")) }, "context deadline exceeded", "created"},
		{"ValidatingAdmissionWebhook, late and ignored", func() string { return outcome(mapIn(t, client, "doors-late-open", "v")) }, "created", "created"},
		{"MutatingAdmissionWebhook, late and ignored", func() string { return outcome(mapIn(t, client, "doors-late-mutates", "v")) }, "created", "created"},
		{"MutatingAdmissionWebhook", func() string {
			m, err := client.CoreV1().ConfigMaps("doors-hook").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, dry)
			return outcome(err) + m.Labels["added"]
		}, "createdbyhook", "created"},
		// The last, as it takes until the node was asked what its pods use.
		{"InitialResources", pod("doors", func(p *corev1.Pod) { p.Spec.Containers[0].Image = seenImage + ":2" }, estimated), "cpu, memory request for container c", "nothing"},
		{"InitialResources, of what says it itself", pod("doors", func(p *corev1.Pod) {
			p.Spec.Containers[0].Image = seenImage + ":2"
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1m")}
		}, estimated), ": memory request for container c", "nothing"},
		{"InitialResources, of what nobody has seen", pod("doors", same, estimated), "nothing", "nothing"},
	}
	for name := range auditedBy {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.plugin == name }) {
			t.Errorf("no row is called %s", name)
		}
	}
	for _, state := range []string{"on", "off"} {
		files := configuration.Files{
			configuration.Tokens: []byte("node,system:node:node-1,1,system:nodes\n"), configuration.Admission: []byte(admissionOfDoors), "images": kubeconfigOf(hook),
			configuration.APIServerFlags: []byte("--enable-admission-plugins=" + strings.Join(on, ",")), configuration.Audit: []byte(auditAll),
		}
		if state == "off" {
			delete(files, configuration.Admission)
			files[configuration.APIServerFlags] = []byte("--disable-admission-plugins=" + strings.Join(off, ","))
		}
		configure(t, files)
		if state == "on" {
			kubectl(t, "kubectl apply -f - <<'E'\n"+presetOfDoors+"\nE")
		}
		for _, r := range rows {
			t.Run(state+"/"+r.plugin, func(t *testing.T) {
				want, got := r.on, ""
				if state == "off" {
					want = r.off
				}
				// Plugins learn of objects by informers of their own.
				eventually.True(t, "it says "+want, func() bool {
					if now := r.do(); now != got {
						got = now
						t.Log(got)
					}
					return strings.Contains(got, want) && (want != "created" || got == want || strings.HasSuffix(got, ";created"))
				})
				if state == "off" && r.on != r.off && strings.Contains(got, r.on) {
					t.Errorf("with the plugin off it still says %q", got)
				}
				e := audited(t, last)
				if said := e.ResponseStatus; int(said.Code) != last.status || last.status >= http.StatusBadRequest && (said.Message == "" || !strings.Contains(got, said.Message)) {
					t.Errorf("answered %d, %s; audited as %+v", last.status, got, said)
				}
				for key, part := range auditedBy[r.plugin] {
					if wrote, has := e.Annotations[key]; has != (state == "on") || has && !strings.Contains(wrote, part) {
						t.Errorf("audited with %v", e.Annotations)
					}
				}
			})
		}
	}
	configure(t, nil)
}

// TestNamespaceExists: off as all others are that make or refuse namespaces, and on.
func TestNamespaceExists(t *testing.T) {
	maps := admin(t).CoreV1().ConfigMaps("doors-nowhere")
	// Policies look at a namespace's labels, and refuse what has none.
	const others = "--disable-admission-plugins=NamespaceLifecycle,MutatingAdmissionPolicy,ValidatingAdmissionPolicy"
	for flags, want := range map[string]string{
		others: "",
		others + "\n--enable-admission-plugins=NamespaceExists": `namespaces "doors-nowhere" not found`,
	} {
		configure(t, configuration.Files{configuration.APIServerFlags: []byte(flags)})
		_, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, dry)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flags, err)
		}
	}
	configure(t, nil)
}

// noting has the last answer to a client noted: its status, and by which ID it is audited.
func noting(t *testing.T, c *rest.Config, last *answer) kubernetes.Interface {
	t.Helper()
	c.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			if err == nil {
				*last = answer{status: res.StatusCode, auditID: res.Header.Get("Audit-ID")}
			}
			return res, err
		})
	})
	client, err := kubernetes.NewForConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

const presetOfDoors = `{"apiVersion": "settings.k8s.io/v1alpha1", "kind": "PodPreset", "metadata": {"name": "db", "namespace": "doors"}, "spec": {
 "selector": {"matchLabels": {"preset": "yes"}}, "env": [{"name": "DB", "value": "db.example.com"}],
 "volumes": [{"name": "cache", "emptyDir": {}}], "volumeMounts": [{"name": "cache", "mountPath": "/cache"}]}}`

const seenImage = "example.com/seen"

// runSeen runs a pod whose image metrics.k8s.io then knows, and nobody else's pods have.
func runSeen(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	pods := client.CoreV1().Pods("kube-system")
	seen := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "seen"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: seenImage + ":1"}}}}
	eventually.True(t, "a pod may be made", func() bool { // once it has a ServiceAccount
		ctx := t.Context()
		_, err := pods.Create(ctx, seen, metav1.CreateOptions{})
		return err == nil
	})
	t.Cleanup(func() { _ = pods.Delete(context.Background(), "seen", metav1.DeleteOptions{}) })
}

// estimated is what InitialResources has set.
func estimated(p *corev1.Pod) string {
	r := p.Spec.Containers[0].Resources.Requests
	if said := p.Annotations["kubernetes.io/initial-resources"]; said != "" && !r.Memory().IsZero() {
		return said
	}
	return "nothing"
}

// presetIn is what a preset has added.
func presetIn(p *corev1.Pod) (s string) {
	for _, e := range p.Spec.Containers[0].Env {
		s += e.Name + "=" + e.Value + ";"
	}
	for _, m := range p.Spec.Containers[0].VolumeMounts {
		if m.MountPath == "/cache" {
			return s + m.Name + ";"
		}
	}
	return s + "nothing"
}

func claim() *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Mi")}},
	}}
}

func mapIn(t *testing.T, client kubernetes.Interface, ns, value string) error {
	_, err := client.CoreV1().ConfigMaps(ns).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Data: map[string]string{"k": value}}, dry)
	return err
}

func mastersRequest(t *testing.T) *certificatesv1.CertificateSigningRequest {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "me", Organization: []string{"system:masters"}}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "masters"}, Spec: certificatesv1.CertificateSigningRequestSpec{
		Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
		SignerName: certificatesv1.KubeAPIServerClientSignerName, Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
	}}
}

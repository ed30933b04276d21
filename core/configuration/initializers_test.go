package configuration_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/initializers"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// seeing is a client that asks for what is not initialized, as clients did with IncludeUninitialized until 1.13.
func seeing(t *testing.T, c *rest.Config) kubernetes.Interface {
	t.Helper()
	c = rest.CopyConfig(c)
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return initializers.Seeing{Next: next} })
	client, err := kubernetes.NewForConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// as is a configuration with a static token, by TLS.
func as(token string) *rest.Config {
	c := rest.AnonymousClientConfig(running.AdminConfig())
	c.BearerToken = token
	return c
}

const guidesConfiguration = `apiVersion: admissionregistration.k8s.io/v1alpha1
kind: InitializerConfiguration
metadata:
  name: custom-pod-initializer
initializers:
- name: podimage.example.com
  rules:
  - {apiGroups: [""], apiVersions: [v1], resources: [pods]}
- name: certificates.example.com
  rules:
  - {apiGroups: [""], apiVersions: [v1], resources: [pods]}
`

func podNamed(name string, ports ...int32) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "pause"}}}}
	for _, port := range ports {
		p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports, corev1.ContainerPort{ContainerPort: port})
	}
	return p
}

// TestInitializers: the plugin off, on, and what the guide tells of it.
func TestInitializers(t *testing.T) {
	configure(t, nil)
	if _, err := admin(t).Discovery().ServerResourcesForGroupVersion("admissionregistration.k8s.io/v1alpha1"); err == nil {
		t.Error("it is served although it is off")
	}
	configure(t, configuration.Files{
		configuration.Tokens:         []byte("s3cret,editor,7\nshared,system:kube-controller-manager,8\n"),
		configuration.APIServerFlags: []byte("--enable-admission-plugins=Initializers\n"),
	})
	client, all := admin(t), seeing(t, running.AdminConfig())
	kubectl(t, "kubectl create namespace init && kubectl create rolebinding editor --clusterrole=edit --user=editor -n init")
	kubectl(t, "kubectl create role status --verb=patch --resource=pods/status -n init && kubectl create rolebinding status --role=status --user=editor -n init")

	// Controllers look again, some time after a restart.
	eventually.True(t, "pods may be made", func() bool {
		ctx := t.Context()
		_, err := client.CoreV1().ServiceAccounts("init").Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})

	t.Run("served", func(t *testing.T) {
		kubectl(t, "kubectl apply -f - <<'E'\n"+guidesConfiguration+"E")
		if got := kubectl(t, "kubectl get initializerconfigurations"); !strings.Contains(got, "custom-pod-initializer   2") {
			t.Error(got)
		}
		if got := kubectl(t, "kubectl explain initializerconfiguration.initializers.rules"); !strings.Contains(got, "apiVersions") {
			t.Error(got)
		}
		kubectl(t, "kubectl apply --server-side --force-conflicts -f - <<'E'\n"+guidesConfiguration+"E")
		groups, err := client.Discovery().ServerGroups()
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == "admissionregistration.k8s.io" })
		if got := fmt.Sprint(groups.Groups[i].Versions, groups.Groups[i].PreferredVersion); !strings.Contains(got, "/v1alpha1") || groups.Groups[i].PreferredVersion.Version != "v1" {
			t.Error(got)
		}
		if _, err := client.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
		for what, manifest := range map[string]string{
			"three segments": strings.ReplaceAll(guidesConfiguration, "podimage.example.com", "podimage"),
			"subresources":   strings.ReplaceAll(guidesConfiguration, "[pods]", "[pods/status]"),
			"unknown field":  strings.ReplaceAll(guidesConfiguration, "rules:", "rule:"),
			"Duplicate":      strings.ReplaceAll(guidesConfiguration, "podimage.", "certificates."),
		} {
			if got := kubectl(t, "kubectl create --dry-run=server -f - 2>&1 <<'E' || true\n"+strings.ReplaceAll(manifest, "custom-pod", "another")+"E"); !strings.Contains(got, what) {
				t.Errorf("%s: %s", what, got)
			}
		}
	})

	t.Run("invisible until it is initialized", func(t *testing.T) {
		pods := client.CoreV1().Pods("init")
		list, err := pods.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		events, err := pods.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		if err != nil {
			t.Fatal(err)
		}
		defer events.Stop()
		answered := make(chan error, 1)
		go func() {
			made, err := pods.Create(t.Context(), podNamed("hidden"), metav1.CreateOptions{})
			if err == nil && (made.Name != "hidden" || made.Labels["acted"] != "yes" || made.Status.Reason != "") {
				err = fmt.Errorf("created is %v", made.ObjectMeta)
			}
			answered <- err
		}()
		var pending *corev1.Pod
		eventually.True(t, "it is stored", func() bool {
			ctx := t.Context()
			pending, err = all.CoreV1().Pods("init").Get(ctx, "hidden", metav1.GetOptions{})
			return err == nil
		})
		if got := pending.Annotations[initializers.PendingAnnotation]; got != "podimage.example.com,certificates.example.com" {
			t.Errorf("pending is %q", got)
		}
		if got := kubectl(t, `kubectl get --raw '/api/v1/namespaces/init/pods?includeUninitialized=true'`); !strings.Contains(got, `"reason":"PodInitializing"`) {
			t.Error(got)
		}
		if _, err := pods.Get(t.Context(), "hidden", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("get: %v", err)
		}
		if got := kubectl(t, "kubectl get pods -n init; kubectl get pods --include-uninitialized -n init"); strings.Count(got, "hidden") != 1 || !strings.Contains(got, "PodInitializing") {
			t.Error(got)
		}
		for _, o := range []metav1.ListOptions{{}, {ResourceVersion: "0"}, {FieldSelector: "metadata.name=hidden"}, {Limit: 1}} {
			if l, err := pods.List(t.Context(), o); err != nil || len(l.Items) != 0 {
				t.Errorf("list %v: %d, %v", o, len(l.Items), err)
			}
		}
		if l, err := all.CoreV1().Pods("init").List(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName="}); err != nil || len(l.Items) != 1 {
			t.Errorf("with the parameter: %d, %v", len(l.Items), err)
		}
		patch := func(p string) error {
			_, err := pods.Patch(t.Context(), "hidden", types.MergePatchType, []byte(p), metav1.PatchOptions{})
			return err
		}
		pendingIs := func(names string) string {
			return fmt.Sprintf(`{"metadata": {"labels": {"acted": "yes"}, "annotations": {%q: %s}}}`, initializers.PendingAnnotation, names)
		}
		if err := patch(pendingIs(`"podimage.example.com"`)); err == nil || !strings.Contains(err.Error(), "only the first") {
			t.Errorf("the second took its name off before the first: %v", err)
		}
		if err := patch(pendingIs("null")); err == nil || !strings.Contains(err.Error(), "only the first") {
			t.Errorf("all at once: %v", err)
		}
		if err := patch(pendingIs(`"certificates.example.com"`)); err != nil {
			t.Error(err)
		}
		kubectl(t, "kubectl annotate pod hidden -n init --include-uninitialized "+initializers.PendingAnnotation+"-")
		if err := <-answered; err != nil {
			t.Error(err)
		}
		e := <-events.ResultChan()
		if p, ok := e.Object.(*corev1.Pod); !ok || e.Type != watch.Added || p.Name != "hidden" || p.Labels["acted"] != "yes" {
			t.Errorf("watch: %v", e)
		}
		eventually.True(t, "it is scheduled", func() bool {
			ctx := t.Context()
			p, err := pods.Get(ctx, "hidden", metav1.GetOptions{})
			return err == nil && p.Spec.NodeName != ""
		})
		steps, _ := bus.All()
		at := slices.IndexFunc(steps, func(s trace.Step) bool { return s.Kind.Name == "initializers.waited" })
		if at < 0 {
			t.Fatal("the trace does not tell of the wait")
		}
		told := steps[at].Details.(*initializers.Waited)
		if told.Outcome != "initialized" || len(told.Pending) != 2 || told.Pending[0].After == 0 || told.Pending[1].After < told.Pending[0].After {
			t.Errorf("told: %+v", told)
		}
	})

	t.Run("attacks", func(t *testing.T) { attackInitializers(t, all) })

	t.Run("custom resources", func(t *testing.T) {
		kubectl(t, `kubectl apply -f - <<'E'
{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.init.example.com"}, "spec": {"group": "init.example.com", "scope": "Namespaced",
 "names": {"kind": "Thing", "plural": "things"}, "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}
---
{"apiVersion": "admissionregistration.k8s.io/v1alpha1", "kind": "InitializerConfiguration", "metadata": {"name": "things"},
 "initializers": [{"name": "thing.example.com", "rules": [{"apiGroups": ["init.example.com"], "apiVersions": ["v1"], "resources": ["things"]}]}]}
E`)
		eventually.True(t, "things are served", func() bool {
			_, err := client.Discovery().ServerResourcesForGroupVersion("init.example.com/v1")
			return err == nil
		})
		path := "/apis/init.example.com/v1/namespaces/init/things"
		kubectl(t, `echo '{"apiVersion": "init.example.com/v1", "kind": "Thing", "metadata": {"name": "t"}}' | kubectl create --raw '`+path+`?includeUninitialized=true' -f -`)
		if got := kubectl(t, "kubectl get things -n init -o name; kubectl get --raw '"+path+"?includeUninitialized=true'"); strings.Contains(got, "thing.init.example.com/t\n") || !strings.Contains(got, `"name":"t"`) {
			t.Error(got)
		}
		kubectl(t, "kubectl delete crd things.init.example.com && kubectl delete initializerconfiguration things")
	})

	t.Run("a create that nobody answers", func(t *testing.T) {
		// With a deadline of its client's: upstream's own is 30 s.
		var made corev1.Pod
		err := client.CoreV1().RESTClient().Post().Resource("pods").Namespace("init").Param("timeout", "1s").Body(podNamed("waits")).Do(t.Context()).Into(&made)
		if !apierrors.IsTimeout(err) || !strings.Contains(err.Error(), "podimage.example.com") {
			t.Errorf("%v", err)
		}
		if _, err := all.CoreV1().Pods("init").Get(t.Context(), "waits", metav1.GetOptions{}); err != nil {
			t.Errorf("it is not stored: %v", err)
		}
		if _, err := client.CoreV1().Pods("init").Create(t.Context(), podNamed("waits"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
			t.Errorf("again: %v", err)
		}
		if err := client.CoreV1().Pods("init").Delete(t.Context(), "waits", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		if _, err := all.CoreV1().Pods("init").Get(t.Context(), "waits", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("deleted: %v", err)
		}
	})

	t.Run("a create that nobody answers, for as long as it waits", func(t *testing.T) { waitsOn(t, client) })

	t.Run("quota and the namespace's end", func(t *testing.T) {
		kubectl(t, "kubectl create namespace init-going && kubectl create quota one --hard=pods=1 -n init-going")
		eventually.True(t, "the quota is known", func() bool {
			ctx := t.Context()
			q, err := client.CoreV1().ResourceQuotas("init-going").Get(ctx, "one", metav1.GetOptions{})
			_, missing := client.CoreV1().ServiceAccounts("init-going").Get(ctx, "default", metav1.GetOptions{})
			return err == nil && missing == nil && q.Status.Used != nil
		})
		pods := seeing(t, running.AdminConfig()).CoreV1().Pods("init-going")
		if _, err := pods.Create(t.Context(), podNamed("first"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := pods.Create(t.Context(), podNamed("second"), metav1.CreateOptions{}); err == nil || !strings.Contains(err.Error(), "exceeded quota") {
			t.Errorf("the quota does not count what is pending: %v", err)
		}
		used := func() string {
			return said(t.Context(), "kubectl get quota one -n init-going -o 'jsonpath={.status.hard.pods} {.status.used.pods}'")
		}
		// A recount, which each change of what is allowed begins; and one that ends with a pod less.
		kubectl(t, `kubectl patch quota one -n init-going -p '{"spec": {"hard": {"pods": "3"}}}'`)
		eventually.True(t, "a recount sees it", func() bool { return used() == "3 1" })
		if _, err := pods.Create(t.Context(), podNamed("second"), metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
		if err := pods.Delete(t.Context(), "first", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		// By the change, too: upstream does not write what an informer that lags has it take for true already.
		kubectl(t, `kubectl patch quota one -n init-going -p '{"spec": {"hard": {"pods": "4"}}}'`)
		eventually.True(t, "a recount sees that it is gone", func() bool { return used() == "4 1" })
		kubectl(t, "kubectl delete namespace init-going --timeout=60s")
	})

	t.Run("garbage collection", func(t *testing.T) {
		pods, seen := seeing(t, running.AdminConfig()).CoreV1().Pods("init"), all.CoreV1().Pods("init")
		cases := []struct {
			policy  metav1.DeletionPropagation
			stays   bool
			owner   string
			waiting *corev1.Pod
		}{{policy: metav1.DeletePropagationOrphan, stays: true}, {policy: metav1.DeletePropagationForeground}, {policy: metav1.DeletePropagationBackground}}
		for i := range cases {
			owner, err := client.CoreV1().ConfigMaps("init").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "owner-"}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			blocks := true
			p := podNamed("owned-by-" + owner.Name)
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, BlockOwnerDeletion: &blocks}}
			if cases[i].waiting, err = pods.Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			cases[i].owner = owner.Name
		}
		// The last pod is the first whose owner goes: a collector that has seen it has seen the others.
		for _, c := range slices.Backward(cases) {
			if err := client.CoreV1().ConfigMaps("init").Delete(t.Context(), c.owner, metav1.DeleteOptions{PropagationPolicy: &c.policy}); err != nil {
				t.Fatal(err)
			}
			var left *corev1.Pod
			eventually.True(t, string(c.policy), func() (done bool) {
				ctx := t.Context()
				_, owner := client.CoreV1().ConfigMaps("init").Get(ctx, c.owner, metav1.GetOptions{})
				p, err := seen.Get(ctx, c.waiting.Name, metav1.GetOptions{})
				left = p
				return apierrors.IsNotFound(owner) && (c.stays || apierrors.IsNotFound(err))
			})
			if c.stays && (len(left.OwnerReferences) != 0 || left.Annotations[initializers.PendingAnnotation] == "") {
				t.Errorf("orphaned it is %v", left.ObjectMeta)
			}
		}
		if err := seen.Delete(t.Context(), cases[0].waiting.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})

	t.Run("the guide's examples", func(t *testing.T) {
		// It begins although every pod waits for it already.
		line := chapterLine(t, "images.tabernetes.internal/initializer")
		kubectl(t, strings.Replace(line, "- --certificates=", "- --certificates-namespace=init\n    - --certificates=", 1))
		defer logOf(t, "kubectl logs initializer -n kube-system")
		defer func() {
			said(context.WithoutCancel(t.Context()), "kubectl delete -n kube-system pod/initializer sa/initializer clusterrole/initializer clusterrolebinding/initializer --wait=false")
		}()
		eventually.True(t, "the initializer runs", func() bool {
			ctx := t.Context()
			return strings.Contains(said(ctx, "kubectl get pod initializer -n kube-system"), "1/1")
		})
		if got := said(t.Context(), chapterLine(t, "name: examples")); !strings.Contains(got, "0/2") && !strings.Contains(got, "2/2") || !strings.Contains(got, "longsecrets.example.com refuses") {
			t.Errorf("the chapter's line says %s", got)
		}
		kubectl(t, "kubectl delete pod proxied --wait=false")
		kubectl(t, "kubectl create configmap test-certificates -n init --from-literal=ca.crt=test")
		if got := kubectl(t, "kubectl create secret generic short --from-literal=password=abc -n init 2>&1 || true"); !strings.Contains(got, "password has 3 characters, and needs 20") {
			t.Error(got)
		}
		eventually.True(t, "the refused one is gone", func() bool {
			ctx := t.Context()
			_, err := all.CoreV1().Secrets("init").Get(ctx, "short", metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		})
		kubectl(t, "kubectl create secret generic long --from-literal=password=abcdefghijklmnopqrstuvwxyz -n init && kubectl get secret long -n init")
		applied := `kubectl apply --server-side -n init -f - <<'E'
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "applied"}, "spec": {"containers": [{"name": "c", "image": "pause"}]}}
E
kubectl get pod applied -n init -o jsonpath='{.spec.volumes[*].name}'`
		if got := kubectl(t, applied); !strings.Contains(got, "test-certificates") {
			t.Errorf("applied is %s", got)
		}
		kubectl(t, "kubectl create deployment web --image=nginx --port=80 --replicas=2 -n init && kubectl create deployment other --image=pause -n init")
		kubectl(t, "kubectl rollout status deployment web -n init --timeout=120s && kubectl rollout status deployment other -n init --timeout=120s")
		for app, want := range map[string]int{"web": 2, "other": 1} {
			l, err := client.CoreV1().Pods("init").List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
			if err != nil || len(l.Items) != want {
				t.Errorf("%s: %d pods, %v", app, len(l.Items), err)
			}
			for _, p := range l.Items {
				mounts := p.Spec.Containers[len(p.Spec.Containers)-1].VolumeMounts
				if (len(p.Spec.Containers) == 2) != (app == "web") || !slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return m.Name == "test-certificates" }) {
					t.Errorf("%s has %v", p.Name, p.Spec.Containers)
				}
			}
		}
		// What was added works: the proxy leads to the pod's own port 80, and the ConfigMap's file is there.
		if got := kubectl(t, "kubectl exec -n init deployment/web -c nginx -- sh -c 'wget -qO- http://127.0.0.1:15001/; cat /etc/test-certificates/ca.crt'"); !strings.Contains(got, "Welcome to nginx") || !strings.HasSuffix(got, "test") {
			t.Error(got)
		}
		eventually.True(t, "the proxy's log tells of it", func() bool {
			ctx := t.Context()
			return strings.Contains(said(ctx, "kubectl logs -n init -l app=web -c proxy"), "bytes answered")
		})
	})
	kubectl(t, "kubectl delete initializerconfigurations --all && kubectl run at-once --image=pause -n init && kubectl delete namespace init --wait=false")

	configure(t, configuration.Files{
		configuration.APIServerFlags: []byte("--enable-admission-plugins=Initializers\n--runtime-config=admissionregistration.k8s.io/v1alpha1=true\n"),
	})
	resources, err := client.Discovery().ServerResourcesForGroupVersion("admissionregistration.k8s.io/v1alpha1")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(resources.APIResources); !strings.Contains(got, "InitializerConfiguration") || !strings.Contains(got, "MutatingAdmissionPolicy") {
		t.Errorf("beside upstream's: %s", got)
	}
	configure(t, nil)
}

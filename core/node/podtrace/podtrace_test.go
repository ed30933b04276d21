package podtrace

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/hostpath"

	"github.com/tabernetes/tabernetes/core/trace"
)

func pod(name, version string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-of-" + name), ResourceVersion: version},
		Spec: corev1.PodSpec{
			ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}},
			Containers:       []corev1.Container{{Name: "nginx"}},
		},
	}
}

// placed is the pod web on node-1, whose kubelet has come to know it by what was written at revision 42.
func placed() (*trace.Bus, *Tap, *corev1.Pod) {
	bus := trace.New()
	tap := New(bus, "node-1")
	bus.Wrote(bus.Reserve(), 42, "uid-of-web", "")
	web := pod("web", "42")
	tap.update(kubetypes.PodUpdate{Pods: []*corev1.Pod{web}, Op: kubetypes.ADD, Source: "api"})
	return bus, tap, web
}

func dump(b *trace.Bus) string {
	steps, _ := b.All()
	var all strings.Builder
	for i := range steps {
		fmt.Fprintf(&all, "%s\n", steps[i].JSON(true))
	}
	return all.String()
}

// last is the latest step of a kind.
func last(t *testing.T, b *trace.Bus, kind *trace.Kind) trace.Step {
	t.Helper()
	steps, _ := b.All()
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Kind == kind {
			return steps[i]
		}
	}
	t.Fatalf("no step %s in\n%s", kind.Name, dump(b))
	return trace.Step{}
}

// oneSync is a pod's first sync, as Kubelet.SyncPod makes it.
func oneSync(tap *Tap, p *corev1.Pod, run func(context.Context) error) {
	syncOf(tap, p, "create", run)
}

func syncOf(tap *Tap, p *corev1.Pod, updateType string, run func(context.Context) error) {
	ctx, span := tap.TracerProvider().Tracer("kubelet").Start(context.Background(), "syncPod", oteltrace.WithAttributes(
		attribute.String("k8s.pod.uid", string(p.UID)), attribute.String("k8s.pod.name", p.Name),
		attribute.String("k8s.pod.update_type", updateType), attribute.String("k8s.namespace.name", p.Namespace),
	))
	if err := run(ctx); err != nil {
		span.RecordError(err)
	}
	span.End()
}

// TestAPodsWay: binding → seen → sync → its calls → status, each by the one before.
func TestAPodsWay(t *testing.T) {
	bus := trace.New()
	tap := New(bus, "node-1")
	bound := bus.Reserve()
	bus.Wrote(bound, 42, "uid-of-web", "")
	web := pod("web", "42")

	in := make(chan kubetypes.PodUpdate)
	out := tap.Updates(t.Context(), in)
	in <- kubetypes.PodUpdate{Pods: []*corev1.Pod{web}, Op: kubetypes.ADD, Source: "api"}
	if got := <-out; len(got.Pods) != 1 || got.Pods[0] != web {
		t.Fatalf("%+v", got)
	}
	seen := last(t, bus, seenKind)
	if seen.Cause != bound || seen.Inferred || seen.Node != "node-1" || seen.Component != "kubelet" {
		t.Errorf("%s", seen.JSON(true))
	}
	d := seen.Details.(*podDetails)
	if d.QOS != "BestEffort" || d.Directory != "/var/lib/kubelet/pods/uid-of-web" || d.PullSecrets[0] != "registry" {
		t.Errorf("%+v", d)
	}

	var inSync trace.ID
	oneSync(tap, web, func(ctx context.Context) error {
		inSync = trace.Cause(ctx)
		if tap.Cause("uid-of-web") != inSync {
			t.Error("a call without a context does not find its sync")
		}
		return errors.New("not yet")
	})
	synced := last(t, bus, syncs["syncPod"])
	if synced.Cause != seen.ID || synced.ID != inSync || synced.Inferred || synced.Details != (syncDetails{"create", "not yet"}) {
		t.Errorf("%s", synced.JSON(true))
	}

	// What the kubelet sees of the runtime leads to the next sync.
	started := bus.Reserve()
	tap.Changed("uid-of-web", started)
	oneSync(tap, web, func(context.Context) error { return nil })
	if s := last(t, bus, syncs["syncPod"]); s.Cause != started || !s.Inferred {
		t.Errorf("%s", s.JSON(true))
	}

	// The status manager writes in its own time.
	var asked []trace.ID
	transport := tap.Transport(roundTripper(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, trace.Cause(r.Context()))
		return &http.Response{StatusCode: http.StatusOK}, nil
	}))
	for _, method := range []string{http.MethodGet, http.MethodPatch} {
		path := "/api/v1/namespaces/default/pods/web"
		if method == http.MethodPatch {
			path += "/status"
		}
		r, err := http.NewRequestWithContext(t.Context(), method, "http://apiserver"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transport.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
	}
	web.Status.Phase = corev1.PodRunning
	web.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "nginx", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	tap.Latency(util.NewPodStartupLatencyTracker()).RecordStatusUpdated(web)
	wrote := last(t, bus, statusKind)
	if wrote.Cause != tap.Cause("uid-of-web") || !wrote.Inferred || asked[0] != wrote.Cause || asked[1] != wrote.ID {
		t.Errorf("asked for by %v: %s", asked, wrote.JSON(true))
	}
	if s := wrote.Details.(statusDetails); s.Phase != "Running" || s.Containers[0] != "nginx: running, ready, 0 restarts" {
		t.Errorf("%+v", s)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAnUpdateComesOfItsWrite: the kubelet's own pod keeps the version that it was first seen in.
func TestAnUpdateComesOfItsWrite(t *testing.T) {
	bus, tap, web := placed()
	for revision, op := range []kubetypes.PodOperation{kubetypes.UPDATE, kubetypes.DELETE, kubetypes.REMOVE} {
		wrote := bus.Reserve()
		bus.Wrote(wrote, int64(43+revision), "uid-of-web", "")
		tap.update(kubetypes.PodUpdate{Pods: []*corev1.Pod{web}, Op: op, Source: "api"})
		step := last(t, bus, updatedKind)
		if step.Cause != wrote || !step.Inferred || step.Object.ResourceVersion != "" {
			t.Errorf("%s", step.JSON(true))
		}
	}
}

// TestStatusThatIsRefused is a step, too.
func TestStatusThatIsRefused(t *testing.T) {
	bus := trace.New()
	tap := New(bus, "node-1")
	oneSync(tap, pod("web", "1"), func(context.Context) error { return nil })
	transport := tap.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusConflict, Status: "409 Conflict"}, nil
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "http://apiserver/api/v1/namespaces/default/pods/web/status", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := transport.RoundTrip(r); err != nil {
		t.Fatal(err)
	}
	if s := last(t, bus, statusKind); s.Details.(statusDetails).Error != "409 Conflict" {
		t.Errorf("%s", s.JSON(true))
	}
}

// TestASyncBeginsDuringAWrite: the write stays below the sync that it came of. Below the later one it
// would be older than its cause, and in no tree.
func TestASyncBeginsDuringAWrite(t *testing.T) {
	bus := trace.New()
	tap := New(bus, "node-1")
	web := pod("web", "1")
	oneSync(tap, web, func(context.Context) error { return nil })
	first := tap.Cause(string(web.UID))
	transport := tap.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		oneSync(tap, web, func(context.Context) error { return nil })
		return &http.Response{StatusCode: http.StatusOK}, nil
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "http://apiserver/api/v1/namespaces/default/pods/web/status", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := transport.RoundTrip(r); err != nil {
		t.Fatal(err)
	}
	tap.Latency(util.NewPodStartupLatencyTracker()).RecordStatusUpdated(web)
	if s := last(t, bus, statusKind); s.Cause != first || s.Cause >= s.ID {
		t.Errorf("%d began after sync %d: %s", s.ID, first, s.JSON(true))
	}
}

func TestPodPath(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/namespaces/a/pods/b":         "a b false true",
		"/api/v1/namespaces/a/pods/b/status":  "a b true true",
		"/api/v1/namespaces/a/pods/b/log":     "  false false",
		"/api/v1/namespaces/a/pods":           "  false false",
		"/api/v1/namespaces/a/secrets/b":      "  false false",
		"/api/v1/pods":                        "  false false",
		"/apis/apps/v1/namespaces/a/pods/b":   "  false false",
		"/api/v1/namespaces/a/pods/b/c/d/e/f": "  false false",
	} {
		n, p, s, ok := podPath(path)
		if got := fmt.Sprint(n, " ", p, " ", s, " ", ok); got != want {
			t.Errorf("%s: %s, not %s", path, got, want)
		}
	}
}

// TestVolumes: plain plugins are told of, others are left as they are.
func TestVolumes(t *testing.T) {
	bus := trace.New()
	tap := New(bus, "node-1")
	var plugins []volume.VolumePlugin
	plugins = append(plugins, emptydir.ProbeVolumePlugins()...)
	plugins = append(plugins, hostpath.ProbeVolumePlugins(volume.VolumeConfig{})...)
	told := tap.VolumePlugins(plugins)
	for i := range told {
		if told[i] == plugins[i] {
			t.Errorf("%T is not told of", told[i])
		}
		if abilities(told[i]) != abilities(plugins[i]) {
			t.Errorf("%T can something else than %T", told[i], plugins[i])
		}
	}
	if odd := (oddPlugin{plugins[1].(hostPathPlugin)}); tap.wrap(odd) != volume.VolumePlugin(odd) {
		t.Error("a plugin of an unknown shape lost what it can")
	}

	oneSync(tap, pod("web", "1"), func(context.Context) error { return nil })
	var during trace.ID
	spec := &volume.Spec{Volume: &corev1.Volume{Name: "cache", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: "Memory"}}}}
	m, err := tap.mounter(fakePlugin{during: &during}, spec, pod("web", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetUp(volume.MounterArgs{}); err == nil {
		t.Error("the error is lost")
	}
	s := last(t, bus, volumeKind)
	if d := s.Details.(volumeDetails); d != (volumeDetails{"cache", "fake", "emptyDir in memory", false, "/mnt", "no room"}) || during != s.ID || s.Cause == 0 {
		t.Errorf("during %d: %s", during, s.JSON(true))
	}
}

// oddPlugin has a method that no wrapper has.
type oddPlugin struct{ hostPathPlugin }

func (oddPlugin) CanDeviceMount(*volume.Spec) (bool, error)           { return false, nil }
func (oddPlugin) NewDeviceMounter() (volume.DeviceMounter, error)     { return nil, nil }
func (oddPlugin) NewDeviceUnmounter() (volume.DeviceUnmounter, error) { return nil, nil }
func (oddPlugin) GetDeviceMountRefs(string) ([]string, error)         { return nil, nil }

type fakePlugin struct {
	volume.VolumePlugin
	during *trace.ID
}

func (fakePlugin) GetPluginName() string { return "fake" }
func (f fakePlugin) NewMounter(*volume.Spec, *corev1.Pod) (volume.Mounter, error) {
	return fakeMounter{during: f.during}, nil
}

// TestWhatAVolumeIsMadeOf: by name, and of a claim which volume it has.
func TestWhatAVolumeIsMadeOf(t *testing.T) {
	claimed := pod("web", "1")
	claimed.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	inline := func(v corev1.VolumeSource) *volume.Spec {
		return &volume.Spec{Volume: &corev1.Volume{Name: "v", VolumeSource: v}}
	}
	for want, spec := range map[string]*volume.Spec{
		"configMap web":  inline(corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}),
		"secret tls":     inline(corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls"}}),
		"emptyDir":       inline(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}),
		"hostPath /data": inline(corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/data"}}),
		"serviceAccountToken, configMap kube-root-ca.crt, downwardAPI": inline(corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{}},
		}}}),
		"claim data, volume pv-1, hostPath /pv": {PersistentVolume: &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: "pv-1"},
			Spec: corev1.PersistentVolumeSpec{
				ClaimRef:               &corev1.ObjectReference{Name: "data"},
				PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/pv"}},
			},
		}},
		"": {},
	} {
		if got := source(spec, claimed); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestProbes: the first that succeeds, each that comes out otherwise, and one in many; nothing of what is
// asked for.
func TestProbes(t *testing.T) {
	bus := trace.New()
	tap := New(bus, "node-1")
	web := pod("web", "42")
	web.Spec.Containers[0].ReadinessProbe = &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Path: "/canary", Port: intstr.FromInt32(80), HTTPHeaders: []corev1.HTTPHeader{{Name: "X", Value: "canary"}}},
	}}
	tap.seen(web, seenKind, details(web, "ADD", "api"))
	var logger klog.Logger
	var during trace.ID
	oneSync(tap, web, func(ctx context.Context) error {
		logger, during = klog.FromContext(ctx).WithValues("a", 1).WithName("b"), trace.Carried(ctx)
		return nil
	})
	succeed := func() {
		logger.V(3).Info("Probe succeeded", "probeType", probeType(1), "pod", klog.KObj(web), "podUID", web.UID, "containerName", "nginx")
	}
	told := func() (all []string) {
		steps, _ := bus.All()
		for i := range steps {
			if text := string(steps[i].JSON(true)); strings.Contains(text, "canary") {
				t.Error(text)
			}
			switch d := steps[i].Details.(type) {
			case probeDetails:
				all = append(all, fmt.Sprint(d.Result, " ", d.Same))
				want := probeDetails{"Readiness", "nginx", "success", "httpGet", "80", 1, d.Same}
				if d != want || steps[i].Cause != during || steps[i].Inferred || steps[i].Object.Name != "web" {
					t.Errorf("%s", steps[i].JSON(true))
				}
			case eventDetails:
				all = append(all, fmt.Sprint(d.Message, " ", d.Same))
			}
		}
		return all
	}
	for range 10 {
		succeed()
	}
	fails := tap.Recorder(&record.FakeRecorder{})
	ref := &corev1.ObjectReference{Kind: "Pod", Namespace: web.Namespace, Name: web.Name, UID: web.UID, FieldPath: "spec.containers{nginx}"}
	for range 5 {
		fails.Eventf(ref, "Warning", "Unhealthy", "%s probe failed: %s", "Readiness", "canary")
	}
	succeed()
	logger.V(3).Info("Probe succeeded", "probeType", probeType(1), "podUID", "of nobody", "containerName", "nginx")
	logger.V(3).Info("Something else", "podUID", web.UID)
	if got, want := fmt.Sprint(told()), "[success 0 Readiness probe failed 9 success 4]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for range 600 {
		succeed()
	}
	if n := len(told()); n != 13 {
		t.Errorf("%d steps of 600 probes more", n-3)
	}
}

// probeType is as upstream's.
type probeType int

func (probeType) String() string { return "Readiness" }

type fakeMounter struct {
	volume.Mounter
	during *trace.ID
}

func (fakeMounter) GetPath() string { return "/mnt" }
func (f fakeMounter) SetUp(volume.MounterArgs) error {
	*f.during = trace.Marked()
	return errors.New("no room")
}

// TestEvents: about pods only, with the sync that they come of; what a command said is not kept.
func TestEvents(t *testing.T) {
	const canary = "c4n4ry"
	bus := trace.New()
	tap := New(bus, "node-1")
	p := pod("web", "1")
	oneSync(tap, p, func(context.Context) error { return nil })
	inner := record.NewFakeRecorder(10)
	r := tap.Recorder(inner).WithLogger(klog.Background())
	r.Eventf(&corev1.ObjectReference{Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.UID, FieldPath: "spec.containers{nginx}"}, "Normal", "BackOff", "Back-off pulling image %q", "nosuch")
	r.Event(p, "Warning", "Unhealthy", "Liveness probe failed: "+canary)
	r.Event(p, "Warning", "Failed", `Error: failed to start container "c": exec: "`+canary+`": stat `+canary+`: no such file or directory`)
	r.Event(&corev1.Node{}, "Normal", "NodeReady", "x")
	steps, _ := bus.All()
	var got []eventDetails
	for _, s := range steps {
		if s.Kind == eventKind {
			got = append(got, s.Details.(eventDetails))
			if s.Cause != tap.Cause(string(p.UID)) || !s.Inferred || s.Object.Name != "web" {
				t.Errorf("%s", s.JSON(true))
			}
		}
	}
	if len(got) != 3 || got[2].Message != `Error: failed to start container "c": exec: (not kept): no such file or directory` || got[0] != (eventDetails{"Normal", "BackOff", `Back-off pulling image "nosuch"`, "spec.containers{nginx}", 0}) || got[1].Message != "Liveness probe failed" {
		t.Errorf("%+v", got)
	}
	if len(inner.Events) != 4 {
		t.Errorf("%d events were recorded", len(inner.Events))
	}
	if strings.Contains(dump(bus), canary) {
		t.Error("what a probe wrote is kept, or a command")
	}
}

// TestHostileNames: they are cut, and stay data.
func TestHostileNames(t *testing.T) {
	bus := trace.New()
	tap := New(bus, "node-1")
	p := pod("web", "1")
	long := strings.Repeat("<b>", 30<<10)
	p.Status.Message, p.Status.Reason = long, long
	for range 1000 {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: long})
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodConditionType(long)})
	}
	tap.update(kubetypes.PodUpdate{Op: kubetypes.ADD, Pods: []*corev1.Pod{p}})
	tap.Latency(util.NewPodStartupLatencyTracker()).RecordStatusUpdated(p)
	tap.event(p, "Normal", long, long)
	steps, _ := bus.All()
	for i := range steps {
		if b := steps[i].JSON(true); strings.Contains(string(b), "<") || steps[i].Cut != "" || len(b) > 512<<10 {
			t.Errorf("%s: %d bytes", steps[i].Kind.Name, len(b))
		}
	}
}

// TestPodsAreForgotten: as many are known as there is room for.
func TestPodsAreForgotten(t *testing.T) {
	tap := New(trace.New(), "node-1")
	for i := range 3 * maxPods {
		tap.update(kubetypes.PodUpdate{Op: kubetypes.ADD, Pods: []*corev1.Pod{pod(fmt.Sprint(i), "1")}})
	}
	if len(tap.pods) != maxPods || len(tap.names) != maxPods || len(tap.order) != maxPods {
		t.Errorf("%d, %d and %d pods are known", len(tap.pods), len(tap.names), len(tap.order))
	}
}

// TestNilTap: without a bus everything is handed back.
func TestNilTap(t *testing.T) {
	tap := New(nil, "node-1")
	in := make(chan kubetypes.PodUpdate)
	if tap != nil || tap.Updates(t.Context(), in) == nil || tap.VolumePlugins(nil) != nil || tap.Transport(nil) != nil || tap.Recorder(nil) != nil || tap.ContainerManager(nil) != nil || tap.Cause("x") != 0 {
		t.Error("something is put in between")
	}
	tap.Changed("x", 1)
}

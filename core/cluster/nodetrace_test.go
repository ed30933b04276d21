package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/scheduler/decision"
	"github.com/tabernetes/tabernetes/core/trace"
)

// tracePatience is how long a step may be in coming on a busy machine.
const tracePatience = 2 * time.Minute

// stepsUntil gives the steps about pods of that name (or prefix) from now on, until want says that
// there are enough. act is run first.
func stepsUntil(t *testing.T, prefix string, act func(), want func([]trace.Step) bool) []trace.Step {
	t.Helper()
	v := bus.View(true)
	defer v.Close()
	act()
	var mine []trace.Step
	ctx, cancel := context.WithTimeout(t.Context(), tracePatience)
	defer cancel()
	for !want(mine) {
		batch, err := v.Next(ctx, 100)
		if err != nil {
			t.Fatalf("%v; so far:\n%s", err, lines(mine))
		}
		for _, s := range batch.Steps {
			if s.Object.Resource == "pods" && strings.HasPrefix(s.Object.Name, prefix) {
				mine = append(mine, s)
			}
		}
	}
	return mine
}

func lines(steps []trace.Step) string {
	var b strings.Builder
	for i := range steps {
		fmt.Fprintf(&b, "%s\n", steps[i].JSON(true))
	}
	return b.String()
}

// run types a line, in a cleanup as well.
func run(t *testing.T, line string) string {
	t.Helper()
	var out bytes.Buffer
	terminal(context.WithoutCancel(t.Context()), line, &out, &out)
	return out.String()
}

func detailsOf(t *testing.T, s trace.Step) string {
	t.Helper()
	b, err := json.Marshal(s.Details)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// byPod groups steps by their pods' names.
func byPod(steps []trace.Step) map[string][]trace.Step {
	m := map[string][]trace.Step{}
	for _, s := range steps {
		m[s.Object.Name] = append(m[s.Object.Name], s)
	}
	return m
}

func hasKind(steps []trace.Step, kind, details string) bool {
	return slices.ContainsFunc(steps, func(s trace.Step) bool {
		if s.Kind.Name != kind {
			return false
		}
		b, err := json.Marshal(s.Details)
		return err == nil && strings.Contains(string(b), details)
	})
}

// toldAsRunning is whether a pod's status says that it runs, and the sync that this came of is told: it ends later.
func toldAsRunning(of []trace.Step) bool {
	for i := range of {
		if !hasKind(of[i:i+1], "kubelet.status", `"phase":"Running"`) {
			continue
		}
		if slices.ContainsFunc(of, func(s trace.Step) bool { return s.ID == of[i].Cause }) {
			return true
		}
	}
	return false
}

// TestPodsAreTraced: the part of the guide's command that scheduler, kubelet and runtime have, for each of three
// pods, with its causes.
func TestPodsAreTraced(t *testing.T) {
	t.Cleanup(func() { run(t, "kubectl delete deployment way --wait=false") })
	steps := stepsUntil(t, "way-", func() {
		if out := run(t, "kubectl create deployment way --image=nginx --replicas=3"); !strings.Contains(out, "created") {
			t.Fatal(out)
		}
	}, func(steps []trace.Step) bool {
		running := 0
		for _, of := range byPod(steps) {
			if toldAsRunning(of) && hasKind(of, "scheduler.attempt", `"result":"bound"`) {
				running++
			}
		}
		return running == 3
	})
	pods := byPod(steps)
	all, _ := bus.All()
	ids := map[trace.ID]trace.Step{}
	for _, s := range all {
		ids[s.ID] = s
	}
	for name, of := range pods {
		for _, want := range []struct {
			kind, cause, details string
		}{
			{"scheduler.queued", "etcd.put", `"queue":"active"`},
			{"scheduler.attempt", "scheduler.queued", `"result":"bound"`},
			{"scheduler.filter", "scheduler.attempt", `"passed":true`},
			{"scheduler.reserve", "scheduler.attempt", `"code":"Success"`},
			{"scheduler.bind", "scheduler.attempt", `"code":"Success"`},
			{"kubelet.pod", "etcd.put", `"qosClass":"BestEffort"`},
			{"kubelet.admission", "kubelet.pod", `"admitted":true`},
			{"kubelet.syncPod", "kubelet.pod", `"updateType":"create"`},
			{"kubelet.volume", "kubelet.syncPod", `"plugin":"kubernetes.io/projected"`},
			{"cri.RunPodSandbox", "kubelet.syncPod", `"by":"a function call"`},
			{"cni.network", "cri.RunPodSandbox", `"podCIDRs":["10.244.`},
			{"cni.plugin", "cni.network", `"plugin":"bridge"`},
			{"cni.plugin", "cni.plugin", `"plugin":"host-local"`},
			{"cri.CreateContainer", "kubelet.syncPod", `"name":"nginx"`},
			{"cri.StartContainer", "kubelet.syncPod", `"containerId":`},
			{"kubelet.status", "kubelet.syncPod", `"phase":"Running"`},
		} {
			found := false
			var near []string
			for _, s := range of {
				if s.Kind.Name != want.kind {
					continue
				}
				cause := ""
				if c, ok := ids[s.Cause]; ok {
					cause = c.Kind.Name
				}
				d := strings.ReplaceAll(detailsOf(t, s), `": "`, `":"`)
				if cause == want.cause && strings.Contains(d, want.details) {
					found = true
				}
				near = append(near, fmt.Sprintf("by %s: %s", cause, d))
			}
			if !found {
				t.Errorf("%s: no %s by %s with %s; there is\n%s", name, want.kind, want.cause, want.details, strings.Join(near, "\n"))
			}
		}
	}
	for name := range pods {
		d := running.Decisions().Latest("default", name)
		if d == nil || d.Node == "" || len(d.Rows) != 3 {
			t.Errorf("the decision about %s is %+v", name, d)
			continue
		}
		a, err := running.Decisions().Ask(t.Context(), "default", name, "node-1", "NodeResourcesFit")
		if err != nil || a.Filter == nil || a.Filter.Verdict != decision.Passed || a.Score == nil || !a.Score.Scored {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// TestUnschedulablePodIsTraced: which plugin refused which node.
func TestUnschedulablePodIsTraced(t *testing.T) {
	t.Cleanup(func() { run(t, "kubectl delete pod toobig --now --wait=false") })
	steps := stepsUntil(t, "toobig", func() {
		run(t, `kubectl run toobig --image=nginx --overrides='{"spec":{"containers":[{"name":"toobig","image":"nginx","resources":{"requests":{"cpu":"1000"}}}]}}'`)
	}, func(steps []trace.Step) bool { return hasKind(steps, "scheduler.attempt", `"result":"unschedulable"`) })
	if !hasKind(steps, "scheduler.filter", `"node":"node-1","passed":false,"refused":{"plugin":"NodeResourcesFit"`) {
		t.Errorf("no refusal of node-1 in\n%s", lines(steps))
	}
	// Upstream has it wait for its back-off only, if a node changed during the attempt.
	back := hasKind(steps, "scheduler.requeued", `"queue":"unschedulable"`) || hasKind(steps, "scheduler.requeued", `"queue":"backoff"`)
	if !back || !hasKind(steps, "scheduler.postfilter", "") {
		t.Errorf("not put back, or preemption was not tried:\n%s", lines(steps))
	}
}

// TestBadImageIsTraced: the pull's failure, and that it will be tried again.
func TestBadImageIsTraced(t *testing.T) {
	t.Cleanup(func() { run(t, "kubectl delete pod noimage --now --wait=false") })
	stepsUntil(t, "noimage", func() { run(t, "kubectl run noimage --image=localhost:1/nosuch:v1") }, func(steps []trace.Step) bool {
		return hasKind(steps, "cri.PullImage", `"error":`) && hasKind(steps, "kubelet.event", `"reason":"BackOff"`) &&
			hasKind(steps, "kubelet.status", "ImagePullBackOff")
	})
}

// TestNoSecretInTheTrace: a canary in a Secret, from where it gets into a variable, a command, a volume
// and a pull secret.
func TestNoSecretInTheTraceOfAPod(t *testing.T) {
	const canary = "c4n4ry-of-the-pod"
	t.Cleanup(func() { run(t, "kubectl delete pod,secret -l app=canary --now --wait=false") })
	manifest := strings.ReplaceAll(`apiVersion: v1
kind: Secret
metadata: {name: canary, labels: {app: canary}}
stringData: {key: CANARY}
---
apiVersion: v1
kind: Secret
metadata: {name: canary-registry, labels: {app: canary}}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: '{"auths":{"docker.io":{"username":"u","password":"CANARY"}}}'}
---
apiVersion: v1
kind: Pod
metadata: {name: canary, labels: {app: canary}}
spec:
  imagePullSecrets: [{name: canary-registry}]
  volumes: [{name: secret, secret: {secretName: canary}}]
  containers:
  - name: c
    image: busybox
    imagePullPolicy: Always
    env: [{name: KEY, valueFrom: {secretKeyRef: {name: canary, key: key}}}]
    command: [sh, -c, "echo $(KEY) > /tmp/key; sleep 1000"]
    volumeMounts: [{name: secret, mountPath: /secret}]
    readinessProbe: {exec: {command: [sh, -c, "cat /secret/key"]}, periodSeconds: 1}
`, "CANARY", canary)
	stepsUntil(t, "canary", func() {
		run(t, "cat <<'EOF' | kubectl create -f -\n"+manifest+"EOF")
	}, func(steps []trace.Step) bool {
		return hasKind(steps, "kubelet.status", `"Ready=True"`) && hasKind(steps, "cri.ExecSync", "") && hasKind(steps, "cri.PullImage", `"password":"`+trace.Withheld)
	})
	all, _ := bus.All()
	for i := range all {
		switch all[i].Component {
		case "kube-scheduler", "kubelet", "container runtime":
			if b := all[i].JSON(true); strings.Contains(string(b), canary) {
				t.Errorf("%s", b)
			}
		}
	}
}

// TestProbesAndVolumesAreTraced: what each volume of a pod is made of, and that its probes succeed, told a
// few times of many.
func TestProbesAndVolumesAreTraced(t *testing.T) {
	t.Cleanup(func() { run(t, "kubectl delete pod,configmap,secret,pvc,pv -l app=volumes --now --wait=false") })
	manifest := `apiVersion: v1
kind: ConfigMap
metadata: {name: volumes, labels: {app: volumes}}
data: {key: value}
---
apiVersion: v1
kind: Secret
metadata: {name: volumes, labels: {app: volumes}}
stringData: {key: canary-of-a-volume}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: volumes, labels: {app: volumes}}
spec: {capacity: {storage: 1Mi}, accessModes: [ReadWriteOnce], storageClassName: "", hostPath: {path: /data/pv}, claimRef: {namespace: default, name: volumes}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: volumes, labels: {app: volumes}}
spec: {accessModes: [ReadWriteOnce], storageClassName: "", volumeName: volumes, resources: {requests: {storage: 1Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: volumes, labels: {app: volumes}}
spec:
  volumes:
  - {name: config, configMap: {name: volumes}}
  - {name: secret, secret: {secretName: volumes}}
  - {name: cache, emptyDir: {medium: Memory}}
  - {name: host, hostPath: {path: /data/host, type: DirectoryOrCreate}}
  - {name: claim, persistentVolumeClaim: {claimName: volumes}}
  containers:
  - name: c
    image: nginx
    volumeMounts:
    - {name: config, mountPath: /config}
    - {name: secret, mountPath: /secret}
    - {name: cache, mountPath: /cache}
    - {name: host, mountPath: /host}
    - {name: claim, mountPath: /claim}
    readinessProbe: {httpGet: {port: 80, path: "/?canary-of-a-volume"}, periodSeconds: 1}
    livenessProbe: {exec: {command: [sh, -c, "exit 0"]}, periodSeconds: 1}
`
	steps := stepsUntil(t, "volumes", func() {
		run(t, "cat <<'EOF' | kubectl create -f -\n"+manifest+"EOF")
	}, func(steps []trace.Step) bool {
		return hasKind(steps, "kubelet.status", `"Ready=True"`) && hasKind(steps, "kubelet.probe", `"probe":"Readiness","container":"c","result":"success","by":"httpGet","port":"80"`) &&
			hasKind(steps, "kubelet.probe", `"probe":"Liveness","container":"c","result":"success","by":"exec"`)
	})
	for _, from := range []string{
		"configMap volumes", "secret volumes", "emptyDir in memory", "hostPath /data/host", "claim volumes, volume volumes, hostPath /data/pv",
		"serviceAccountToken, configMap kube-root-ca.crt, downwardAPI",
	} {
		if !hasKind(steps, "kubelet.volume", `"from":"`+from+`"`) {
			t.Errorf("no volume from %s in\n%s", from, lines(steps))
		}
	}
	for i := range steps {
		if b := string(steps[i].JSON(true)); strings.Contains(b, "canary-of-a-volume") {
			t.Error(b)
		}
		if k := steps[i].Kind.Name; (k == "kubelet.probe" || k == "kubelet.volume") && (steps[i].Cause == 0 || steps[i].Took == 0 && k == "kubelet.volume") {
			t.Errorf("without a cause, or a time: %s", steps[i].JSON(true))
		}
	}
}

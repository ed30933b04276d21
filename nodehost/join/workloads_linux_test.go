package join

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// workload is what one machine has to offer to pods: a Pod's spec (without its place and its images'
// policy, which are the same for all) and what a shell line has to print in the end.
type workload struct {
	name string
	// also are objects that the pod needs.
	also string
	spec string
	// line may use $POD, and $ID, a pattern for it in control groups' paths.
	line, want string
	// late is looked at last: upstream's kubelet takes a minute for it.
	late bool
}

// container is what every container here has: the busybox image, imported.
const container = "image: busybox, imagePullPolicy: IfNotPresent"

var workloads = []workload{
	{
		name: "volumes",
		also: `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: from-a-configmap, b: by-its-subpath}
---
apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {key: from-a-secret}
---`,
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sleep, "3000"], volumeMounts: [{name: disk, mountPath: /disk}, {name: memory, mountPath: /memory}, {name: host, mountPath: /host},
      {name: settings, mountPath: /settings}, {name: settings, mountPath: /one, subPath: b}, {name: key, mountPath: /key}, {name: all, mountPath: /all}]}
  volumes:
  - {name: disk, emptyDir: {}}
  - {name: memory, emptyDir: {medium: Memory, sizeLimit: 8Mi}}
  - {name: host, hostPath: {path: HOSTPATH, type: DirectoryOrCreate}}
  - {name: settings, configMap: {name: settings}}
  - {name: key, secret: {secretName: key, defaultMode: 0400}}
  - name: all
    projected:
      sources:
      - {serviceAccountToken: {path: token, audience: vault}}
      - {downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}
      - {configMap: {name: settings, items: [{key: a, path: deep/a}]}}`,
		line: `kubectl exec $POD -- sh -c 'echo x > /disk/x; echo x > /host/x; cat /settings/a /one /key/key /all/name /all/deep/a | tr "\n" " "; cut -d. -f2 /all/token | wc -l
			stat -Lc %a /key/key; mount | grep -c "on /memory type tmpfs.*size=8192k"' | tr '\n' ' '`,
		want: "from-a-configmapby-its-subpathfrom-a-secretvolumesfrom-a-configmap1 400 1",
	},
	{
		// A class's volume, made on the node by the node; the pod is placed by the scheduler. When the
		// claim has gone, so have volume and directory.
		name: "local-path",
		also: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: local-path, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
---`,
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sh, -c, "id -u > /data/who; sleep 3000"], securityContext: {runAsUser: 1234}, volumeMounts: [{name: data, mountPath: /data}]}
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]`,
		line: `if kubectl get pvc data >/dev/null 2>&1; then
				kubectl wait --for=condition=Ready pod/$POD --timeout=20s >/dev/null && cat VOLUMES/pvc-*/who &&
				kubectl delete pod $POD --grace-period=1 >/dev/null && kubectl delete pvc data >/dev/null; echo later
			else kubectl get pv -o name 2>/dev/null; ls VOLUMES; fi`,
		want: "",
	},
	{
		name: "guaranteed",
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sleep, "3000"], resources: {limits: {cpu: 100m, memory: 32Mi}}}`,
		line: qosLine, want: "Guaranteed 1",
	},
	{
		name: "burstable",
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sleep, "3000"], resources: {requests: {cpu: 50m}, limits: {memory: 32Mi}}}`,
		line: qosLine, want: "Burstable burstable 1",
	},
	{
		name: "besteffort",
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sleep, "3000"]}`,
		line: qosLine, want: "BestEffort besteffort 0",
	},
	{
		// containerd says why only if it hears of the kill before it hears of the end, which the kernel
		// tells apart: on a busy machine not every time.
		name: "too-much-memory",
		spec: `
  restartPolicy: OnFailure
  containers:
  - {name: main, CONTAINER, command: [tail, /dev/zero], resources: {limits: {memory: 20Mi}}}`,
		line: `kubectl get pod $POD -o jsonpath='{range .status.containerStatuses[0]..terminated}{.reason} {.exitCode}{"\n"}{end}' | grep -m1 OOMKilled`,
		want: "OOMKilled 137",
	},
	{
		name: "too-much-disk",
		spec: `
  restartPolicy: Never
  containers:
  - {name: main, CONTAINER, command: [sh, -c, "dd if=/dev/zero of=/big bs=1M count=30; sleep 3000"], resources: {limits: {ephemeral-storage: 5Mi}}}`,
		line: `kubectl get pod $POD -o jsonpath='{.status.reason}: {.status.message}' | grep -o 'Evicted.*ephemeral local storage usage exceeds the total limit of containers 5Mi'`,
		want: "Evicted: Pod ephemeral local storage usage exceeds the total limit of containers 5Mi",
	},
	{
		name: "too-much-in-a-volume",
		spec: `
  restartPolicy: Never
  containers:
  - {name: main, CONTAINER, command: [sh, -c, "dd if=/dev/zero of=/disk/big bs=1M count=30; sleep 3000"], volumeMounts: [{name: disk, mountPath: /disk}]}
  volumes: [{name: disk, emptyDir: {sizeLimit: 5Mi}}]`,
		line: `kubectl get pod $POD -o jsonpath='{.status.phase} {.status.reason}: {.status.message}'`,
		want: `Failed Evicted: Usage of EmptyDir volume "disk" exceeds the limit "5Mi".`,
		late: true,
	},
	{
		name: "alive",
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sh, -c, "touch /ok; sleep 6; rm /ok; sleep 3000"], terminationMessagePolicy: FallbackToLogsOnError,
      startupProbe: {exec: {command: [cat, /ok]}, periodSeconds: 1, timeoutSeconds: 10},
      livenessProbe: {exec: {command: [cat, /ok]}, periodSeconds: 1, timeoutSeconds: 10, failureThreshold: 1}}`,
		line: `kubectl get events --field-selector involvedObject.name=$POD,reason=Unhealthy -o jsonpath='{.items[0].message}' | grep -o 'Liveness probe failed'; [ "$(kubectl get pod $POD -o jsonpath='{.status.containerStatuses[0].restartCount}')" -ge 1 ] && echo restarted`,
		want: "Liveness probe failed\nrestarted",
	},
	{
		name: "not-ready",
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sh, -c, "nc -ll -p 8080 -e true & sleep 3000"], readinessProbe: {exec: {command: ["false"]}, periodSeconds: 1, timeoutSeconds: 10},
      livenessProbe: {tcpSocket: {port: 8080}, initialDelaySeconds: 5}}`,
		line: `kubectl get pod $POD -o jsonpath='{.status.phase} {.status.containerStatuses[0].started} {.status.containerStatuses[0].ready} {.status.containerStatuses[0].restartCount}'`,
		want: "Running true false 0",
	},
	{
		// The server of the probes is the test's: grpcHealth.
		name: "grpc",
		spec: `
  hostNetwork: true
  containers:
  - {name: well, CONTAINER, command: [sleep, "3000"], readinessProbe: {grpc: {port: 9000, service: well}, periodSeconds: 1, timeoutSeconds: 10}}
  - {name: ill, CONTAINER, command: [sleep, "3000"], readinessProbe: {grpc: {port: 9000, service: ill}, periodSeconds: 1, timeoutSeconds: 10}}
  - {name: again, CONTAINER, command: [sh, -c, "trap 'exit 0' TERM; while :; do sleep 0.2; done"], livenessProbe: {grpc: {port: 9000, service: ill}, periodSeconds: 1, timeoutSeconds: 10, failureThreshold: 1}}`,
		line: `kubectl get pod $POD -o jsonpath='{range .status.containerStatuses[*]}{.name} {.started} {.ready} {.restartCount}{"\n"}{end}' | awk '/^well/ && $3 == "true" && $4 == 0 || /^ill/ && $2 == "true" && $3 == "false" && $4 == 0 || /^again/ && $NF >= 1 {printf "%s ", $1}'
			kubectl get events --field-selector involvedObject.name=$POD,reason=Unhealthy -o jsonpath='{.items[*].message}' | grep -o 'Liveness probe failed: service unhealthy (responded with "NOT_SERVING")' | head -1`,
		want: `again ill well Liveness probe failed: service unhealthy (responded with "NOT_SERVING")`,
	},
	{
		name: "hooks",
		spec: `
  terminationGracePeriodSeconds: 20
  containers:
  - {name: main, CONTAINER, command: [sh, -c, "trap 'echo term >> /host/hooks; exit 0' TERM; while :; do sleep 1; done"], volumeMounts: [{name: host, mountPath: /host}],
      lifecycle: {postStart: {exec: {command: [sh, -c, "echo post > /host/hooks"]}}, preStop: {exec: {command: [sh, -c, "echo pre >> /host/hooks"]}}}}
  volumes: [{name: host, hostPath: {path: HOSTPATH, type: DirectoryOrCreate}}]`,
		line: `[ "$(kubectl get pod $POD --ignore-not-found -o jsonpath='{.status.phase}')" != Running ] || kubectl delete pod $POD --wait --timeout=60s >/dev/null; tr '\n' ' ' < HOSTPATH/hooks`,
		want: "post pre term",
	},
	{
		name: "init-and-sidecar",
		spec: `
  restartPolicy: Never
  initContainers:
  - {name: first, CONTAINER, command: [sh, -c, "echo first > /shared/log"], volumeMounts: [{name: shared, mountPath: /shared}]}
  - {name: beside, CONTAINER, restartPolicy: Always, command: [sh, -c, "trap 'exit 0' TERM; echo beside >> /shared/log; while :; do sleep 0.2; done"], volumeMounts: [{name: shared, mountPath: /shared}],
      startupProbe: {exec: {command: [grep, beside, /shared/log]}, periodSeconds: 1, timeoutSeconds: 10}}
  - {name: second, CONTAINER, command: [sh, -c, "echo second >> /shared/log"], volumeMounts: [{name: shared, mountPath: /shared}]}
  containers:
  - {name: main, CONTAINER, command: [sh, -c, "echo main >> /shared/log; cat /shared/log"], volumeMounts: [{name: shared, mountPath: /shared}]}
  volumes: [{name: shared, emptyDir: {}}]`,
		line: `kubectl get pod $POD -o jsonpath='{.status.phase} {.status.initContainerStatuses[1].state.terminated.reason} '; kubectl logs $POD -c main | tr '\n' ' '`,
		want: "Succeeded Completed first beside second main",
	},
	{
		name: "debugged",
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sleep, "2999"]}`,
		line: `kubectl get pod $POD -o jsonpath='{.spec.ephemeralContainers[*].name}' | grep -q look || kubectl debug $POD --image=busybox --image-pull-policy=IfNotPresent --target=main -c look --profile=general -- sh -c 'tr "\0" " " < /proc/1/cmdline; echo in $(hostname)' >/dev/null
			kubectl logs $POD -c look`,
		want: "sleep 2999 in debugged",
	},
	{
		name: "seccomp",
		spec: `
  containers:
  - {name: runtimes, CONTAINER, command: [sleep, "3000"], securityContext: {seccompProfile: {type: RuntimeDefault}}}
  - {name: none, CONTAINER, command: [sleep, "3000"], securityContext: {seccompProfile: {type: Unconfined}}}
  - {name: owners, CONTAINER, command: [sleep, "3000"], securityContext: {seccompProfile: {type: Localhost, localhostProfile: no-mkdir.json}}}`,
		line: `for c in runtimes none owners; do kubectl exec $POD -c $c -- awk '/^Seccomp:/ {printf "%s ", $2}' /proc/1/status; done; kubectl exec $POD -c owners -- mkdir /x 2>&1 | grep -o 'Operation not permitted' | head -1`,
		want: "2 0 2 Operation not permitted",
	},
	{
		name: "who-it-is",
		spec: `
  shareProcessNamespace: true
  securityContext: {runAsUser: 1234, runAsGroup: 2345, fsGroup: 3456, sysctls: [{name: net.ipv4.ip_unprivileged_port_start, value: "1000"}]}
  containers:
  - {name: main, CONTAINER, command: [sleep, "3000"], volumeMounts: [{name: disk, mountPath: /disk}],
      securityContext: {readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}
  volumes: [{name: disk, emptyDir: {}}]`,
		line: `kubectl exec $POD -- sh -c 'echo $(id -u):$(id -g):$(stat -c %g /disk); cat /proc/sys/net/ipv4/ip_unprivileged_port_start; touch /x 2>&1 | grep -o Read-only; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status; tr "\0" " " < /proc/1/cmdline' | tr -s '\t\n' '  '`,
		want: "1234:2345:3456 1000 Read-only CapEff: 0000000000000000 NoNewPrivs: 1 /pause",
	},
	{
		// Where the runtime has user namespaces, root is not root; where it has not, the pod is told so.
		name: "user-namespace",
		spec: `
  hostUsers: false
  containers:
  - {name: main, CONTAINER, command: [sleep, "3000"]}`,
		line: `if kubectl get node alpha -o jsonpath='{.status.runtimeHandlers[*].features.userNamespaces}' | grep -q true; then
				kubectl exec $POD -- awk '$2 != 0 {print "told or apart"}' /proc/self/uid_map
			else kubectl get events --field-selector involvedObject.name=$POD -o jsonpath='{.items[*].message}' | grep -o 'user namespaces' | sed 's/.*/told or apart/' | head -1; fi`,
		want: "told or apart",
	},
	{
		// An image's files as a volume: containerd has them from 2.1 on; 1.6 mounts the path that it
		// would have, which is empty.
		name: "image-volume",
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sleep, "3000"], volumeMounts: [{name: image, mountPath: /image}]}
  volumes: [{name: image, image: {reference: busybox, pullPolicy: IfNotPresent}}]`,
		line: `if kubectl get node alpha -o jsonpath='{.status.nodeInfo.containerRuntimeVersion}' | grep -q '^containerd://1[.]'; then
				kubectl get events --field-selector involvedObject.name=$POD -o jsonpath='{.items[*].message}' | grep -q 'mkdir "": mkdir : no such file' && echo told or there
			else kubectl exec $POD -- test -x /image/bin/busybox && kubectl exec $POD -- touch /image/x 2>&1 | grep -q Read-only && echo told or there; fi`,
		want: "told or there",
	},
	{
		name: "pod-security",
		also: `
apiVersion: v1
kind: Namespace
metadata: {name: strict, labels: {pod-security.kubernetes.io/enforce: restricted}}
---`,
		spec: `
  containers:
  - {name: main, CONTAINER, command: [sleep, "3000"]}`,
		line: `kubectl -n strict run it --image=busybox --privileged 2>&1 | grep -o 'violates PodSecurity "restricted:latest": privileged'`,
		want: `violates PodSecurity "restricted:latest": privileged`,
	},
}

// qosLine prints the class, the part of the control group's path that says it, and 1 if the limit is
// that of a group below the pod's.
const qosLine = `echo $(kubectl get pod $POD -o jsonpath='{.status.qosClass}') \
	$(find /sys/fs/cgroup -type d -path "*kubepods*pod$ID*" | grep -o 'burstable\|besteffort' | sort -u) \
	$(find /sys/fs/cgroup -path "*kubepods*pod$ID*/*" \( -name memory.limit_in_bytes -o -name memory.max \) -exec cat {} + | grep -c '^33554432$' | sed 's/[2-9]/1/')`

// noMkdir is a seccomp profile of the machine's owner.
const noMkdir = `{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}`

// TestWorkloads runs a handful of pods at once, each for a feature that one machine can offer.
func TestWorkloads(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	h := r.host(t, "alpha", "192.168.171.11/24")
	before := h.Traces(t)
	h.Join(t, h.JoinLine(t)...)
	h.ImportImages(t, "pause", "busybox")
	full := r.fillDisk(t)
	grpcHealth(t, h)
	profiles := filepath.Join(h.Place.Kubelet(), "seccomp")
	if err := os.MkdirAll(profiles, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profiles, "no-mkdir.json"), []byte(noMkdir), 0o644); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("CONTAINER", container, "HOSTPATH", filepath.Join(h.Dir, "hostpath"), "VOLUMES", h.Place.Volumes())
	var manifest strings.Builder
	for _, w := range workloads {
		fmt.Fprintf(&manifest, "%s\napiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  nodeSelector: {kubernetes.io/hostname: alpha}\n  tolerations: [{operator: Exists}]%s\n---\n", w.also, w.name, w.spec)
	}
	file := filepath.Join(h.Dir, "workloads.yaml")
	if err := os.WriteFile(file, []byte(fill.Replace(manifest.String())), 0o644); err != nil {
		t.Fatal(err)
	}
	r.Kubectl(t, "kubectl apply -f "+file)
	shows := func(t *testing.T, w workload) {
		t.Run(w.name, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					out, _ := r.Try("kubectl describe pod " + w.name)
					t.Log(out)
				}
			})
			// systemd has underscores in the names of slices.
			r.Eventually(t, "POD="+w.name+"; ID=$(kubectl get pod $POD --ignore-not-found -o jsonpath='{.metadata.uid}' | tr - '?'); "+fill.Replace(w.line), w.want)
		})
	}
	for _, w := range workloads {
		if !w.late {
			shows(t, w)
		}
	}
	t.Run("what pods show", func(t *testing.T) { r.testRecords(t, h) })
	t.Run("a volume of another node", func(t *testing.T) { r.testForeignVolume(t, h) })
	t.Run("a full disk", func(t *testing.T) { r.testFullDisk(t, full) })
	for _, w := range workloads {
		if w.late {
			shows(t, w)
		}
	}
	r.Kubectl(t, "kubectl delete pods --all --grace-period=1 --timeout=90s")
	if err := os.RemoveAll(filepath.Join(h.Dir, "hostpath")); err != nil { // ours, not the node's
		t.Error(err)
	}
	_ = os.Remove(file)
	r.makeLasting(t)
	h.Leave(t)
	h.removeOwners(t, filepath.Join(profiles, "no-mkdir.json"))
	clean(t, h, before)
	t.Run("a claim whose node has left", r.testLasting)
}

// grpcHealth serves gRPC's health protocol on the machine: of one service that is well, and one that
// is not.
func grpcHealth(t *testing.T, h *host) {
	t.Helper()
	state := health.NewServer()
	state.SetServingStatus("well", healthpb.HealthCheckResponse_SERVING)
	state.SetServingStatus("ill", healthpb.HealthCheckResponse_NOT_SERVING)
	s := grpc.NewServer()
	healthpb.RegisterHealthServer(s, state)
	l := h.Listen(t, h.IP()+":9000")
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
}

// testForeignVolume has the node make a volume that is not its own: another node's, or another kind.
func (r *rig) testForeignVolume(t *testing.T, h *host) {
	const volume = `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pvc-foreign","annotations":{"pv.kubernetes.io/provisioned-by":"local-path.tabernetes.internal"}},
		"spec":{"capacity":{"storage":"1Mi"},"accessModes":["ReadWriteOnce"],"SOURCE":{"path":"/tmp"},"storageClassName":"CLASS","claimRef":{"namespace":"default","name":"foreign","uid":"foreign"},
		"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["NODE"]}]}]}}}}`
	for name, c := range map[string]struct{ source, node, class, want string }{
		"its own":       {"local", "alpha", "local-path", "created"},
		"another's":     {"local", "node-1", "local-path", "local volumes of its own only"},
		"another kind":  {"hostPath", "alpha", "local-path", "local volumes of its own only"},
		"another class": {"local", "alpha", "", "local volumes of its own only"},
	} {
		manifest := strings.NewReplacer("SOURCE", c.source, "NODE", c.node, "CLASS", c.class).Replace(volume)
		out, _ := h.Command("bash", "-c", filepath.Join(r.Built, "kubectl")+" --kubeconfig "+h.Place.Kubeconfig()+" create -f - <<'END'\n"+manifest+"\nEND")
		if !strings.Contains(out, c.want) {
			t.Errorf("%s: %s, want %q", name, out, c.want)
		}
	}
	// The owner's is nothing that a node may delete.
	r.Kubectl(t, "kubectl delete pv pvc-foreign")
	r.Kubectl(t, "kubectl create -f - <<'END'\n"+strings.NewReplacer("SOURCE", "local", "NODE", "node-1", "CLASS", "local-path").Replace(volume)+"\nEND")
	out, _ := h.Command(filepath.Join(r.Built, "kubectl"), "--kubeconfig", h.Place.Kubeconfig(), "delete", "pv", "pvc-foreign")
	if !strings.Contains(out, "local volumes of its own only") {
		t.Errorf("another node's volume is deleted: %s", out)
	}
	r.Kubectl(t, "kubectl delete pv pvc-foreign")
}

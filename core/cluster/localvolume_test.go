package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoVolumeIsTheMachines attacks the machine below a native cluster as anybody could who may make a PersistentVolume:
// local and hostPath volumes of its directories, claimed by a pod, lie below the node's root.
func TestNoVolumeIsTheMachines(t *testing.T) {
	machine := t.TempDir()
	if err := os.WriteFile(filepath.Join(machine, "secret"), []byte("the machine's\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const mark = "tabernetes-was-here"
	t.Cleanup(func() {
		run(t, "kubectl delete namespace volumes --wait=false")
		run(t, "kubectl delete pv -l of=volumes --wait=false")
		for _, dir := range []string{"/etc", machine} {
			if err := os.Remove(filepath.Join(dir, mark)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s of the machine has what a pod wrote: %v", dir, err)
			}
		}
	})
	run := func(t *testing.T, line string) string {
		t.Helper()
		var out bytes.Buffer
		if code := terminal(context.WithoutCancel(t.Context()), line, &out, &out); code != 0 {
			t.Fatalf("$ %s\nexit code %d\n%s", line, code, &out)
		}
		return out.String()
	}
	run(t, "kubectl create namespace volumes")
	// What a local volume is of must be there; on the node, as it turns out.
	pod := func(name, volumes, mounts string) {
		t.Helper()
		run(t, fmt.Sprintf("kubectl apply -f - <<'Y'\n"+`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "namespace": "volumes"}, "spec": {"nodeName": "node-1",
			"terminationGracePeriodSeconds": 0, "volumes": [%s], "containers": [{"name": "main", "image": "busybox", "command": ["sleep", "3600"], "volumeMounts": [%s]}]}}`+"\nY", name, volumes, mounts))
		run(t, "kubectl -n volumes wait --for=condition=Ready --timeout=60s pod/"+name)
	}
	pod("before", fmt.Sprintf(`{"name": "v", "hostPath": {"path": %q, "type": "DirectoryOrCreate"}}`, machine), `{"name": "v", "mountPath": "/v"}`)
	run(t, "kubectl -n volumes exec before -- sh -c 'echo \"the node'\"'\"'s\" > /v/secret'")

	var volumes, mounts []string
	for name, source := range map[string]string{
		"local-etc": `"local": {"path": "/etc"}`,
		"host-etc":  `"hostPath": {"path": "/etc"}`,
		"local":     fmt.Sprintf(`"local": {"path": %q}`, machine),
		"host":      fmt.Sprintf(`"hostPath": {"path": %q}`, machine),
	} {
		run(t, fmt.Sprintf("kubectl apply -f - <<'Y'\n"+`{"apiVersion": "v1", "kind": "List", "items": [
			{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "volumes-%[1]s", "labels": {"of": "volumes"}}, "spec": {%[2]s, "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
				"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-1"]}]}]}}}},
			{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": %[1]q, "namespace": "volumes"}, "spec": {"volumeName": "volumes-%[1]s", "storageClassName": "",
				"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]}`+"\nY", name, source))
		volumes = append(volumes, fmt.Sprintf(`{"name": %[1]q, "persistentVolumeClaim": {"claimName": %[1]q}}`, name))
		mounts = append(mounts, fmt.Sprintf(`{"name": %[1]q, "mountPath": "/of/%[1]s"}`, name))
	}
	pod("reader", strings.Join(volumes, ", "), strings.Join(mounts, ", "))
	for _, dir := range []string{"local", "host"} {
		if got := run(t, "kubectl -n volumes exec reader -- cat /of/"+dir+"/secret"); got != "the node's\n" {
			t.Errorf("%s: a pod reads %q", dir, got)
		}
		run(t, "kubectl -n volumes exec reader -- touch /of/"+dir+"/"+mark)
	}
	for _, dir := range []string{"local-etc", "host-etc"} {
		// The machine has these; a node has names and networks in its own.
		for _, file := range []string{"passwd", "os-release", "shadow"} {
			if _, err := os.Stat("/etc/" + file); err != nil {
				continue
			}
			if got := run(t, "kubectl -n volumes exec reader -- sh -c 'cat /of/"+dir+"/"+file+" 2>/dev/null || true'"); got != "" {
				t.Errorf("%s: a pod reads %s: %.100q", dir, file, got)
			}
		}
		if got := run(t, "kubectl -n volumes exec reader -- cat /of/"+dir+"/resolv.conf"); !strings.Contains(got, "10.96.0.10") {
			t.Errorf("%s: resolv.conf is not the node's: %q", dir, got)
		}
		run(t, "kubectl -n volumes exec reader -- touch /of/"+dir+"/"+mark)
	}
}

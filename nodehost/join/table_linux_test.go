package join

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/core/typed"
)

// pullNothing has pods take the images that were imported: an image without a tag is asked of its registry each time.
const pullNothing = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: imported-images}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  reinvocationPolicy: Never
  failurePolicy: Fail
  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: |
        object.spec.containers.map(c, JSONPatch{op: "add", path: "/spec/containers/" + string(object.spec.containers.indexOf(c)) + "/imagePullPolicy", value: "IfNotPresent"})
        + (has(object.spec.initContainers) ? object.spec.initContainers.map(c, JSONPatch{op: "add", path: "/spec/initContainers/" + string(object.spec.initContainers.indexOf(c)) + "/imagePullPolicy", value: "IfNotPresent"}) : [])
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: imported-images}
spec: {policyName: imported-images}
`

// TestTableOnRealNodes types the lines of core/cluster's table that are for real nodes, too, into a shell with kubectl,
// and holds what two machines answer against what in-tab nodes are held against.
func TestTableOnRealNodes(t *testing.T) {
	longLane(t)
	cases, err := typed.Load("../../core/cluster/testdata/kubectl.yaml", "node-[123]", "(alpha|beta)", "node-2", "beta")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	for name, cidr := range map[string]string{"alpha": "192.168.171.11/24", "beta": "192.168.171.12/24"} {
		h := r.host(t, name, cidr)
		h.Join(t, append(h.JoinLine(t), "--mix")...)
		h.ImportImages(t, "pause", "busybox", "nginx")
	}
	r.Kubectl(t, "kubectl cordon node-1") // it is in-tab
	r.apply(t, pullNothing)
	r.Eventually(t, "kubectl run probe --image=busybox --dry-run=server -o jsonpath='{.spec.containers[0].imagePullPolicy}'", "IfNotPresent")
	for _, c := range cases {
		if c.RealNodes {
			t.Run(c.Name, func(t *testing.T) {
				if err := c.Execute(t.Context(), r.shell); err != nil {
					t.Fatal(err)
				}
				if out := r.Kubectl(t, "kubectl get pods -A -o name --field-selector spec.nodeName=node-1"); out != "" {
					t.Errorf("on an in-tab node run\n%s", out)
				}
			})
		}
	}
}

// shell runs a line on the hub's machine, with kubectl as the cluster's owner. It is a typed.Shell.
func (r *rig) shell(ctx context.Context, line string, stdout, stderr io.Writer) int {
	cmd := exec.CommandContext(ctx, "bash", "-c", fmt.Sprintf("kubectl() { %s --kubeconfig %s \"$@\"; }; %s", filepath.Join(r.Built, "kubectl"), r.Kubeconfig(), line))
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var err error
	r.Hub.Do(func() { err = cmd.Start() })
	if err == nil {
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintf(stderr, "run a line: %v\n", err)
		return -1
	}
	return 0
}

package join

import (
	"os"
	"path/filepath"
	"testing"
)

// A cluster without any state, at the same name and of the same instance, is what a tab is after a
// reload. The machine's CA is not its CA: it neither takes the machine nor ends what runs there, and
// when the right one is back nothing has changed.
func (f *faults) testAnotherCluster(t *testing.T) {
	dir, aside := filepath.Join(f.Dir, "cluster"), filepath.Join(f.Dir, "aside")
	if err := os.Mkdir(aside, 0o700); err != nil {
		t.Fatal(err)
	}
	move := func(from, to string) {
		for _, part := range []string{"store", "cluster"} {
			if err := os.Rename(filepath.Join(from, part), filepath.Join(to, part)); err != nil {
				t.Fatal(err)
			}
		}
	}
	sandboxes := func() string {
		return f.alpha.Must(t, "bash", "-c", "ctr --address "+f.alpha.Place.Socket()+" --namespace k8s.io tasks ls | sort")
	}
	f.unharmed(t, func() {
		running := sandboxes()
		f.restartPlane(t, func() { move(dir, aside) })
		f.agent.AwaitWords(t, "the cluster at the hub is another one")
		// The new cluster works, and has heard the machine's refusals since.
		f.Kubectl(t, "kubectl create namespace other && kubectl wait --for=condition=Ready node/node-1 --timeout=90s")
		if out := f.Kubectl(t, "kubectl get nodes -o name"); out != "node/node-1" {
			t.Errorf("the other cluster has %s", out)
		}
		if out := f.Kubectl(t, "kubectl get pods -A -o name; kubectl get csr -o name"); out != "" {
			t.Errorf("the other cluster has %s", out)
		}
		if now := sandboxes(); now != running {
			t.Errorf("there runs\n%s\nand there ran\n%s", now, running)
		}
		f.restartPlane(t, func() {
			if err := os.Rename(dir, dir+".other"); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir+".other", "instance"), filepath.Join(dir, "instance")); err != nil {
				t.Fatal(err)
			}
			move(aside, dir)
		})
		f.isReady(t)
	})
}

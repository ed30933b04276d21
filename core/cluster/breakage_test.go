package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/node"
	"github.com/tabernetes/tabernetes/core/typed"
)

// What the page offers to break is proved on this cluster: it reads the same files (web/breakage).
const (
	scenariosPath = "../../web/breakage/scenarios.yaml"
	riddlesPath   = "../../web/breakage/riddles.yaml"
)

type scenario struct {
	Name   string       `json:"name"`
	Group  string       `json:"group"`
	Title  string       `json:"title"`
	See    string       `json:"see"`
	Why    string       `json:"why"`
	How    string       `json:"how"`
	Unplug bool         `json:"unplug"`
	Disk   int64        `json:"disk"` // MiB of a node that is added for it
	Fails  bool         `json:"fails"`
	Break  []string     `json:"break"`
	Seen   []typed.Step `json:"seen"`
	Mend   []string     `json:"mend"`
	Mended []typed.Step `json:"mended"`
	Clean  []string     `json:"clean"`
}

type riddle struct {
	Name     string       `json:"name"`
	Title    string       `json:"title"`
	Story    string       `json:"story"`
	Break    []string     `json:"break"`
	Hints    []string     `json:"hints"`
	Answer   string       `json:"answer"`
	Solution []string     `json:"solution"`
	Solved   []typed.Step `json:"solved"`
}

// breaker types the lines of one scenario into a shell of its own.
type breaker struct {
	shell *kubectl.Session
	node  string // stands for {{node}}
}

func (b breaker) typeOne(ctx context.Context, line string) (code int, out string) {
	var both bytes.Buffer
	code = b.shell.Run(ctx, strings.ReplaceAll(line, "{{node}}", b.node), kubectl.Streams{Stdout: &both, Stderr: &both})
	return code, both.String()
}

func (b breaker) types(ctx context.Context, lines ...string) error {
	for _, line := range lines {
		if code, out := b.typeOne(ctx, line); code != 0 {
			return fmt.Errorf("$ %s\nexit code %d: %s", line, code, out)
		}
	}
	return nil
}

func (b breaker) sees(ctx context.Context, steps []typed.Step) error {
	for _, s := range steps {
		s.Run = strings.ReplaceAll(s.Run, "{{node}}", b.node)
		for i := range s.Absent {
			s.Absent[i] = strings.ReplaceAll(s.Absent[i], "{{node}}", b.node)
		}
		if err := s.Execute(ctx, inSession(b.shell)); err != nil {
			return err
		}
	}
	return nil
}

// TestBreakage breaks all that the page offers to break, at once and each in a namespace of its own, and holds what
// it says will be seen, and that its mending mends. Nodes that are unplugged or filled are added for it, and no pod
// goes there any more before the other scenarios begin.
func TestBreakage(t *testing.T) {
	all := readTable[scenario](t, scenariosPath)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	begun := time.Now()
	took := func(format string, args ...any) {
		t.Logf("%3.0f s  %s", time.Since(begun).Seconds(), fmt.Sprintf(format, args...))
	}

	var unplugged, done sync.WaitGroup
	var mu sync.Mutex
	failed := map[string]error{}
	own := 0 // nodes of the cluster's own that scenarios may harm
	for _, s := range all {
		if s.See == "" || s.Why == "" || s.How == "" || s.Title == "" || s.Group == "" || len(s.Seen) == 0 || len(s.Mended) == 0 {
			t.Errorf("%s does not say everything", s.Name)
		}
		b := breaker{shell: term.Session("broken-" + s.Name)}
		t.Cleanup(func() { term.Close("broken-" + s.Name) })
		switch {
		case s.Unplug || s.Disk > 0:
			name, err := running.AddNode(ctx, node.Capacity{MilliCPU: 1000, MemoryBytes: 1 << 30, EphemeralStorageBytes: s.Disk << 20})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = running.RemoveNode(context.WithoutCancel(ctx), name) })
			b.node = name
			unplugged.Add(1)
		case strings.Contains(strings.Join(s.Break, ""), "{{node}}"):
			own++
			b.node = fmt.Sprintf("node-%d", own)
		}
		cut := sync.OnceFunc(func() {
			if s.Unplug || s.Disk > 0 {
				unplugged.Done()
			}
		})
		done.Go(func() {
			err := b.breaksAndMends(ctx, s, cut, &unplugged)
			took("%s", s.Name)
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed[s.Name] = err
			}
		})
	}
	if own > 2 {
		t.Fatalf("%d scenarios harm nodes of the cluster: nobody has a node left", own)
	}
	done.Wait()
	for name, err := range failed {
		t.Errorf("%s: %v", name, err)
	}
	took("%d scenarios broken, mended and cleaned up", len(all))
}

func (b breaker) breaksAndMends(ctx context.Context, s scenario, cut func(), unplugged *sync.WaitGroup) (err error) {
	defer cut()
	if !s.Unplug && s.Disk == 0 {
		unplugged.Wait()
	}
	namespace := "broken-" + s.Name
	if err := b.types(ctx, "kubectl create namespace "+namespace); err != nil {
		return err
	}
	defer func() {
		lines := append(s.Clean, "kubectl delete namespace "+namespace+" --wait=false")
		for _, line := range lines {
			// Undoing what was mended already may have nothing to undo.
			b.typeOne(context.WithoutCancel(ctx), line)
		}
	}()
	last := len(s.Break) - 1
	if err := b.types(ctx, s.Break[:last]...); err != nil {
		return err
	}
	if code, out := b.typeOne(ctx, s.Break[last]); (code != 0) != s.Fails {
		return fmt.Errorf("$ %s\nexit code %d, fails is %v: %s", s.Break[last], code, s.Fails, out)
	}
	if s.Disk > 0 {
		placed := typed.Step{Run: "kubectl get pods -n " + namespace + " -o wide", Match: []string{b.node}, Eventually: true}
		if err := b.sees(ctx, []typed.Step{placed}); err != nil {
			return err
		}
		if err := b.types(ctx, "kubectl cordon {{node}}"); err != nil { // nobody else's pods are evicted
			return err
		}
		cut()
	}
	if s.Unplug {
		// Nobody else's pods come here, and it stays so until it is removed.
		if err := b.types(ctx, "kubectl cordon {{node}}"); err != nil {
			return err
		}
		if err := running.StopNode(b.node); err != nil {
			return err
		}
		cut()
	}
	if err := b.sees(ctx, s.Seen); err != nil {
		return fmt.Errorf("what is said will be seen: %w", err)
	}
	if s.Unplug {
		if err := errors.Join(running.HealNode(b.node), b.types(ctx, "kubectl uncordon {{node}}")); err != nil {
			return err
		}
	}
	if err := b.types(ctx, s.Mend...); err != nil {
		return fmt.Errorf("mending: %w", err)
	}
	if err := b.sees(ctx, s.Mended); err != nil {
		return fmt.Errorf("mended: %w", err)
	}
	return nil
}

// TestRiddles holds that each riddle is unsolved as it is posed, and that its solution solves it.
func TestRiddles(t *testing.T) {
	all := readTable[riddle](t, riddlesPath)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var done sync.WaitGroup
	failed := make([]error, len(all))
	for i, r := range all {
		if r.Title == "" || r.Story == "" || r.Answer == "" || len(r.Hints) < 2 || len(r.Solved) == 0 || len(r.Solution) == 0 {
			t.Errorf("%s does not say everything", r.Name)
		}
		done.Go(func() {
			b := breaker{shell: term.Session("riddle-" + r.Name)}
			defer term.Close("riddle-" + r.Name)
			namespace := "riddle-" + r.Name
			defer b.typeOne(context.WithoutCancel(ctx), "kubectl delete namespace "+namespace+" --wait=false")
			if err := b.types(ctx, append([]string{"kubectl create namespace " + namespace}, r.Break...)...); err != nil {
				failed[i] = err
				return
			}
			if err := b.sees(ctx, r.Solved); err == nil {
				failed[i] = errors.New("it is solved as it is posed")
				return
			}
			if failed[i] = b.types(ctx, r.Solution...); failed[i] != nil {
				return
			}
			for j := range r.Solved {
				r.Solved[j].Eventually = true
			}
			failed[i] = b.sees(ctx, r.Solved)
		})
	}
	done.Wait()
	for i, err := range failed {
		if err != nil {
			t.Errorf("%s: %v", all[i].Name, err)
		}
	}
}

func readTable[T any](t *testing.T, path string) (all []T) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(raw, &all); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d of them, %v", path, len(all), err)
	}
	return all
}

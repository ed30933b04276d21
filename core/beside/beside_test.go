package beside

import (
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/compatibility"
)

// TestGates: what a component sets stays its own.
func TestGates(t *testing.T) {
	const gate = features.WatchList
	before := utilfeature.DefaultFeatureGate.Enabled(gate)
	for range 2 { // one after the other, as a container that starts again
		registry, err := Gates()
		if err != nil {
			t.Fatal(err)
		}
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		registry.AddFlags(fs)
		value := map[bool]string{true: "false", false: "true"}[before]
		if err := fs.Parse([]string{"--feature-gates=" + string(gate) + "=" + value}); err != nil {
			t.Fatal(err)
		}
		if err := registry.Set(); err != nil {
			t.Fatal(err)
		}
		if registry.FeatureGateFor(compatibility.DefaultKubeComponent).Enabled(gate) == before {
			t.Error("the copy does not take what is set")
		}
	}
	if utilfeature.DefaultFeatureGate.Enabled(gate) != before {
		t.Error("the process's gate has changed")
	}
}

func TestOnlyFlags(t *testing.T) {
	for line, refused := range map[string]string{"--v=2": "", "--audit-log-path=/etc/cron.d/x": "--audit-log-path"} {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.String("audit-log-path", "", "")
		fs.Int("v", 0, "")
		if err := fs.Parse([]string{line}); err != nil {
			t.Fatal(err)
		}
		err := OnlyFlags(fs, []string{"v"})
		if refused == "" && err != nil || refused != "" && (err == nil || !strings.HasPrefix(err.Error(), refused)) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// ending is a listener whose network is gone.
type ending struct{ net.Listener }

func (ending) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (ending) Close() error              { return nil }

// TestHold: a server whose pod is killed hears nothing of it until it is told to stop.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Hold(ending{})
		ended := make(chan error, 1)
		go func() {
			_, err := l.Accept()
			ended <- err
		}()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("it has ended by itself: %v", err)
		default:
		}
		_ = l.Close()
		if err := <-ended; err == nil {
			t.Error("it has not ended")
		}
	})
}

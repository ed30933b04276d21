package apiserver

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/tabernetes/tabernetes/core/configuration"
)

// reloadMetrics are the metrics by which upstream says which content of a file it has read, and how often it could not
// (k8s.io/apiserver/pkg/server/options, packages authenticationconfig, authorizationconfig, encryptionconfig).
var reloadMetrics = map[string]string{
	configuration.Authentication: "apiserver_authentication_config_controller_",
	configuration.Authorization:  "apiserver_authorization_config_controller_",
	configuration.Encryption:     "apiserver_encryption_config_controller_",
}

// Reloads watch whether a server takes up files that are written anew.
type Reloads struct {
	dir    string
	failed map[string]float64 // at the beginning
}

// reloadPatience is how long a reload may take before it is given up for a restart.
const reloadPatience = 10 * time.Second

// WatchReloads begins to watch, before the files in dir change.
func WatchReloads(dir string) *Reloads {
	r := &Reloads{dir: dir, failed: map[string]float64{}}
	for name := range reloadMetrics {
		_, r.failed[name], _ = r.look(name, "")
	}
	return r
}

// Await waits until upstream has read all the files, and tells whether it did: not if one of them is none that it
// reads again, if it refuses one (it does some things at its start only), or where no file can be watched.
func (r *Reloads) Await(ctx context.Context, names []string) bool {
	ctx, cancel := context.WithTimeout(ctx, reloadPatience)
	defer cancel()
	for _, name := range names {
		if reloadMetrics[name] == "" || !filesAreWatched {
			return false
		}
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return false
		}
		want := fmt.Sprintf("sha256:%x", sha256.Sum256(b))
		// Upstream tells of it by metrics only.
		for tick := time.NewTicker(50 * time.Millisecond); ; {
			done, failed, err := r.look(name, want)
			if done || err != nil || failed > r.failed[name] || ctx.Err() != nil {
				tick.Stop()
				if !done {
					return false
				}
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}
	return true
}

// look reads whether the last content has that hash, and how many reloads failed.
func (r *Reloads) look(name, hash string) (done bool, failed float64, err error) {
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		return false, 0, fmt.Errorf("read the server's metrics: %w", err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				switch f.GetName() {
				case reloadMetrics[name] + "last_config_info":
					done = done || l.GetName() == "hash" && l.GetValue() == hash
				case reloadMetrics[name] + "automatic_reloads_total":
					if l.GetName() == "status" && l.GetValue() == "failure" {
						failed += m.GetCounter().GetValue()
					}
				}
			}
		}
	}
	return done, failed, nil
}

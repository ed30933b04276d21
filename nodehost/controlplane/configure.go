package controlplane

import (
	"context"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/configuration"
)

// readAgain puts what the configuration's directory holds into force whenever it is told to, until ctx is done. What
// upstream refuses is logged, and the cluster goes on as it was.
func (o *Options) readAgain(ctx context.Context, c *cluster.Cluster) error {
	select {
	case <-c.Ready():
	case <-ctx.Done():
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-o.ReadAgain:
		}
		files, err := configuration.Read(o.ConfigDir)
		if err != nil {
			o.Log.Error("configuration", "error", err)
			continue
		}
		did, err := c.Configure(ctx, files)
		if err != nil {
			o.Log.Error("configuration", "error", err)
			continue
		}
		o.Log.Info("configuration is in force", "changed", did.Changed, "reloaded", did.Reloaded, "restarted", did.Restarted)
	}
}

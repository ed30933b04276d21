package join

import (
	"log/slog"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// tellState says when the tunnel comes and goes, and not at every attempt in between.
func tellState(log *slog.Logger) func(tunnel.State) {
	first, up, since := true, false, time.Now()
	return func(s tunnel.State) {
		if s.Up == up && !first {
			return
		}
		switch {
		case s.Up:
			log.Info("the cluster can be reached", "cluster", s.Welcome.Name, "after", time.Since(since).Round(time.Millisecond))
		case !first || s.Err != nil:
			log.Warn("the cluster cannot be reached; containers go on, and it is tried again", "error", s.Err)
		}
		first, up, since = false, s.Up, time.Now()
	}
}

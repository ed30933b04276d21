package dns

import (
	"context"
	"log/slog"
	"time"

	"github.com/coredns/coredns/plugin"
	miekg "github.com/miekg/dns"
	"golang.org/x/time/rate"
)

// errorLog is what CoreDNS' plugin errors does: an error of a plugin below is told to the log,
// ten a second at most.
type errorLog struct {
	log   *slog.Logger
	limit *rate.Limiter
	next  plugin.Handler
}

func logErrors(log *slog.Logger) plugin.Plugin {
	return func(next plugin.Handler) plugin.Handler {
		return &errorLog{log: log, limit: rate.NewLimiter(rate.Every(100*time.Millisecond), 10), next: next}
	}
}

// Name implements plugin.Handler.
func (e *errorLog) Name() string { return "errors" }

// ServeDNS implements plugin.Handler.
func (e *errorLog) ServeDNS(ctx context.Context, w miekg.ResponseWriter, r *miekg.Msg) (int, error) {
	code, err := plugin.NextOrFailure(e.Name(), e.next, ctx, w, r)
	if err != nil && e.limit.Allow() {
		e.log.Warn("a name was not found out", "name", r.Question[0].Name, "type", miekg.TypeToString[r.Question[0].Qtype], "code", miekg.RcodeToString[code], "error", err)
	}
	return code, err
}

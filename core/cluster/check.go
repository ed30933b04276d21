package cluster

import (
	"context"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/scheduler"
)

// ConfigErrors says what a cluster would refuse of the configuration files in the options when it
// starts, each nil if nothing: before a running one is given up for it.
func (o Options) ConfigErrors(ctx context.Context) (scheduling, admission error) {
	return scheduler.Check(ctx, o.SchedulerConfig), apiserver.CheckAdmission(o.AdmissionConfig)
}

package methods

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/wasm/port"
)

type checkParams struct {
	SchedulerConfig string `json:"schedulerConfig"`
	AdmissionConfig string `json:"admissionConfig"`
}

// checkResult holds what is wrong with each file; empty for nothing.
type checkResult struct {
	SchedulerConfig string `json:"schedulerConfig"`
	AdmissionConfig string `json:"admissionConfig"`
}

// Check serves `check`: whether a new cluster would take these configuration files.
func Check(ctx context.Context, c *port.Call) (any, error) {
	var p checkParams
	if err := c.Params(&p); err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	scheduling, admission := cluster.Options{
		SchedulerConfig: []byte(p.SchedulerConfig), AdmissionConfig: []byte(p.AdmissionConfig),
	}.ConfigErrors(ctx)
	result := checkResult{}
	if scheduling != nil {
		result.SchedulerConfig = scheduling.Error()
	}
	if admission != nil {
		result.AdmissionConfig = admission.Error()
	}
	return result, nil
}

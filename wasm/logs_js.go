package main

import (
	"flag"
	"fmt"

	"k8s.io/klog/v2"
)

// keepQuiet drops the components' informational log lines, thousands while starting: each would
// be a call to the console, which costs more than the work it tells of. Warnings and errors stay.
func keepQuiet() error {
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	for name, value := range map[string]string{
		"legacy_stderr_threshold_behavior": "false", // otherwise klog does not ask for the next
		"stderrthreshold":                  "WARNING",
	} {
		if err := fs.Set(name, value); err != nil {
			return fmt.Errorf("quiet the log: %w", err)
		}
	}
	return nil
}

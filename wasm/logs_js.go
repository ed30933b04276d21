package main

import (
	"fmt"
	"os"

	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/tabernetes/tabernetes/wasm/console"
)

// keepQuiet drops the components' informational log lines, thousands while starting, and what is
// said again and again: each would be a call to the console, which costs more than the work it tells
// of. Other warnings and errors stay.
//
// The components apply logging options that are the same as those applied here, which upstream
// then ignores (logsapi.ReapplyHandlingIgnoreUnchanged, set by core/cluster): the logger stays.
func keepQuiet() error {
	if err := logsapi.ValidateAndApply(logsapi.NewLoggingConfiguration(), nil); err != nil {
		return fmt.Errorf("quiet the log: %w", err)
	}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(console.New(os.Stderr))))
	options := []klog.LoggerOption{klog.ContextualLogger(true)}
	if sink, ok := logger.GetSink().(textlogger.KlogBufferWriter); ok {
		options = append(options, klog.WriteKlogBuffer(sink.WriteKlogBuffer))
	}
	klog.SetLoggerWithOptions(logger, options...)
	return nil
}

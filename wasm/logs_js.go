package main

import (
	"fmt"
	"io"
	"os"

	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// keepQuiet drops the components' informational log lines, thousands while starting: each would
// be a call to the console, which costs more than the work it tells of. Warnings and errors stay.
//
// The components apply logging options that are the same as those applied here, which upstream
// then ignores (logsapi.ReapplyHandlingIgnoreUnchanged, set by core/cluster): the logger stays.
func keepQuiet() error {
	if err := logsapi.ValidateAndApply(logsapi.NewLoggingConfiguration(), nil); err != nil {
		return fmt.Errorf("quiet the log: %w", err)
	}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(warnings{os.Stderr})))
	options := []klog.LoggerOption{klog.ContextualLogger(true)}
	if sink, ok := logger.GetSink().(textlogger.KlogBufferWriter); ok {
		options = append(options, klog.WriteKlogBuffer(sink.WriteKlogBuffer))
	}
	klog.SetLoggerWithOptions(logger, options...)
	return nil
}

// warnings passes on what klog writes at warning and above; each entry is one Write.
type warnings struct{ io.Writer }

// Write implements io.Writer.
func (w warnings) Write(entry []byte) (int, error) {
	if len(entry) > 0 && entry[0] == 'I' {
		return len(entry), nil
	}
	return w.Writer.Write(entry)
}

package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/tabernetes/tabernetes/wasm/console"
)

// chatty is the verbosity of the components' log when the page asks for it: upstream's "useful steady
// state information" (Kubernetes' logging conventions).
const chatty = 2

// setUpLog has the components log to the console. Unless verbose is set, their informational lines,
// thousands while starting, are dropped, and what is said again and again: each would be a call to
// the console, which costs more than the work it tells of. Other warnings and errors stay.
//
// The components apply logging options that are the same as those applied here, which upstream
// then ignores (logsapi.ReapplyHandlingIgnoreUnchanged, set by core/cluster): the logger stays.
func setUpLog(verbose bool) error {
	if err := logsapi.ValidateAndApply(logsapi.NewLoggingConfiguration(), nil); err != nil {
		return fmt.Errorf("set the log up: %w", err)
	}
	var level klog.Level
	var out io.Writer = console.New(os.Stderr)
	if verbose {
		if err := level.Set(strconv.Itoa(chatty)); err != nil {
			return fmt.Errorf("set the log up: %w", err)
		}
		out = os.Stderr
	}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(int(level)), textlogger.Output(out)))
	options := []klog.LoggerOption{klog.ContextualLogger(true)}
	if sink, ok := logger.GetSink().(textlogger.KlogBufferWriter); ok {
		options = append(options, klog.WriteKlogBuffer(sink.WriteKlogBuffer))
	}
	klog.SetLoggerWithOptions(logger, options...)
	return nil
}

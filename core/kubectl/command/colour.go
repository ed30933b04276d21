package command

import (
	"bytes"
	"io"
	"regexp"

	"github.com/tabernetes/tabernetes/core/program"
)

// coloured is the process's standard error with the log of requests in colour, if a person
// reads it: NO_COLOR (https://no-color.org) is respected.
func coloured(p *program.Process) io.Writer {
	if p.Terminal == nil || p.Getenv("NO_COLOR") != "" {
		return p.Stderr
	}
	return colourWriter{p.Stderr}
}

// colourWriter colours klog's text format; each write holds whole lines.
type colourWriter struct{ w io.Writer }

var (
	// "I1120 12:04:31.000000       1 file.go:123] "
	logHeader  = regexp.MustCompile(`(?m)^[IWEF]\d{4} [\d:.]+ +\d+ [^]]*\]`)
	logMessage = regexp.MustCompile(`(?m)\] ("[^"\n]*")`)
	logOK      = regexp.MustCompile(`status=("[123]\d\d[^"]*")`)
	logFailed  = regexp.MustCompile(`status=("[45]\d\d[^"]*")`)
	logVerb    = regexp.MustCompile(`verb=("[A-Z]+")`)
	logURL     = regexp.MustCompile(`url=("[^"]*")`)
	logKey     = regexp.MustCompile(`(^|\s)([A-Za-z][A-Za-z0-9]*)=(["<\d\x1b])`)
)

// Write implements io.Writer.
func (c colourWriter) Write(p []byte) (int, error) {
	out := logMessage.ReplaceAll(p, []byte("] \x1b[1m$1\x1b[0m"))
	out = logHeader.ReplaceAllFunc(out, func(header []byte) []byte {
		return bytes.Join([][]byte{[]byte("\x1b[90m"), header, []byte("\x1b[0m")}, nil)
	})
	for _, rule := range []struct {
		of   *regexp.Regexp
		with string
	}{
		{logOK, "status=\x1b[32m$1\x1b[0m"},
		{logFailed, "status=\x1b[31m$1\x1b[0m"},
		{logVerb, "verb=\x1b[33m$1\x1b[0m"},
		{logURL, "url=\x1b[36m$1\x1b[0m"},
		{logKey, "$1\x1b[90m$2=\x1b[0m$3"},
	} {
		out = rule.of.ReplaceAll(out, []byte(rule.with))
	}
	if _, err := c.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

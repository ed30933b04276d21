package command

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"

	"k8s.io/client-go/transport"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// verbosity takes -v, -v=N, -vN and --v=N out of args: klog has one verbosity for the process,
// so that upstream's flag would raise the apiserver's and the kubelets' as well.
func verbosity(args []string) (rest []string, level int) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(rest, args[i:]...), level
		}
		value, found := strings.CutPrefix(a, "--v=")
		if !found && !strings.HasPrefix(a, "--") {
			value, found = strings.CutPrefix(a, "-v")
			value = strings.TrimPrefix(value, "=")
		}
		if a == "--v" || a == "-v" {
			if i+1 == len(args) {
				return append(rest, a), level
			}
			found, value = true, args[i+1]
		}
		n, err := strconv.Atoi(value)
		if !found || err != nil {
			rest = append(rest, a)
			continue
		}
		if a == "--v" || a == "-v" {
			i++
		}
		level = n
	}
	return rest, level
}

// debugging logs requests and responses to w as upstream's client does for a process with this
// verbosity.
func debugging(level int, w io.Writer) transport.WrapperFunc {
	if level < 6 {
		return func(next http.RoundTripper) http.RoundTripper { return next }
	}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(level), textlogger.Output(w)))
	return func(next http.RoundTripper) http.RoundTripper {
		logged := transport.NewDebuggingRoundTripper(next, transport.DebugByContext)
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := logged.RoundTrip(r.WithContext(klog.NewContext(r.Context(), logger)))
			if err == nil && level >= 8 {
				response.Body = &loggedBody{ReadCloser: response.Body, logger: logger, limit: bodyLimit(level)}
			}
			return response, err
		})
	}
}

// bodyLimit is how much of a response body is logged, in bytes, as upstream has it
// (client-go/rest, truncateBody); 0 is all.
func bodyLimit(level int) int {
	switch {
	case level >= 10:
		return 0
	case level == 9:
		return 10240
	default:
		return 1024
	}
}

// loggedBody logs what was read of a response when it ends.
type loggedBody struct {
	io.ReadCloser
	logger klog.Logger
	limit  int
	kept   bytes.Buffer
	cut    int
	done   bool
}

// Read implements io.Reader.
func (b *loggedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	keep := n
	if b.limit > 0 {
		keep = min(n, b.limit-b.kept.Len())
	}
	b.kept.Write(p[:keep])
	b.cut += n - keep
	if err != nil {
		b.finish()
	}
	return n, err
}

// Close implements io.Closer.
func (b *loggedBody) Close() error {
	b.finish()
	return b.ReadCloser.Close()
}

func (b *loggedBody) finish() {
	if b.done || b.kept.Len() == 0 {
		return
	}
	b.done = true
	text := b.kept.String()
	if b.cut > 0 {
		text += " [truncated " + strconv.Itoa(b.cut) + " chars]"
	}
	b.logger.Info("Response Body", "body", text)
}

package command

import (
	"context"
	"net/http"
	"runtime"

	"k8s.io/client-go/transport"
)

// cancelling ends every request of a command, streams included, when its context is done.
func cancelling(ctx context.Context) transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if ctx.Err() != nil {
				// The command has returned; who still asks is a loop of upstream's on a context
				// that nothing cancels (an informer), and would try again for ever.
				runtime.Goexit()
			}
			merged, cancel := context.WithCancelCause(r.Context())
			stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
			response, err := next.RoundTrip(r.WithContext(merged))
			if err != nil {
				stop()
				cancel(nil)
			}
			return response, err
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

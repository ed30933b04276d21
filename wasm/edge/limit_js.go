package main

import (
	"errors"
	"syscall/js"

	"github.com/syumai/workers/cloudflare"
)

// allow asks Cloudflare's rate limiting binding, which the library does not have yet
// (https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/).
func allow(source string) (bool, error) {
	limiter := cloudflare.GetBinding(limitBinding)
	if limiter.Type() != js.TypeObject {
		return false, errors.New("wrangler.jsonc binds no rate limit")
	}
	type answer struct {
		ok  bool
		err error
	}
	answers := make(chan answer, 1)
	then := js.FuncOf(func(_ js.Value, args []js.Value) any {
		answers <- answer{ok: args[0].Get("success").Truthy()}
		return nil
	})
	defer then.Release()
	failed := js.FuncOf(func(_ js.Value, args []js.Value) any {
		answers <- answer{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer failed.Release()
	limiter.Call("limit", map[string]any{"key": source}).Call("then", then, failed)
	a := <-answers
	return a.ok, a.err
}

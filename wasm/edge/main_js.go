package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"
	"github.com/tabernetes/tabernetes/wasm/edge/shares"
)

// Names of the bindings in wrangler.jsonc.
const (
	keptBinding  = "SHARES"     // KV namespace
	limitBinding = "SHARE_RATE" // rate limit
	daysVariable = "SHARE_DAYS"
)

// For how many days a share is kept, unless the variable says so, and at most.
const (
	defaultDays = 30
	mostDays    = 365
)

func main() {
	workers.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept, err := newKV(keptBinding)
		if err != nil {
			http.Error(w, "This site has no store for short links: wrangler.jsonc binds none.", http.StatusServiceUnavailable)
			return
		}
		shares.New(shares.Options{Store: kept, Keep: days(), Allow: allow}).ServeHTTP(w, r)
	}))
}

func days() time.Duration {
	n, err := strconv.Atoi(cloudflare.Getenv(daysVariable))
	if err != nil || n < 1 || n > mostDays {
		n = defaultDays
	}
	return time.Duration(n) * 24 * time.Hour
}

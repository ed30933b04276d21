// Command edge is a Cloudflare Worker beside a published site (docs/edge.md): it keeps what people share under
// short addresses. The site's files are Cloudflare's own matter, and this program is not asked for them.
//
// It may import github.com/syumai/workers, syscall/js and wasm/edge/shares. It is built by scripts/edge with
// plain Go, never with the tab's overlay, which switches fetch off; natively it is a stub that says so, for
// the sake of go vet ./... and gopls. It must keep nothing in memory: Cloudflare starts it anew for each request.
package main

// Package shares keeps what people share under short addresses, for a while: the packed text of a link
// (web/share/pack.ts), as it is. It is checked, bounded and given back as text; it is never rendered, and
// only the page that asked for it unpacks it, shows it and asks before anything of it is applied (ADR 48).
//
// It may import the standard library only, so that it is tested natively. Where texts lie and who counts
// requests is given to it: it must know nothing of Cloudflare.
package shares

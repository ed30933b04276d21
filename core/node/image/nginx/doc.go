// Package nginx is the web server of the nginx image: it reads the configuration language of
// nginx and serves what its users expect of it, on net/http.
//
// Of the configuration it knows what teaching and testing need: server and location matching,
// static files, rewrite with if, set, break and return, try_files, error_page, limit_except, proxy_pass
// with upstreams, log formats and variables. A directive that nginx has and this does not is named in the error log and
// ignored; one that nginx has not is an error, as there. TLS is refused.
//
// It may import the standard library, core/program and core/shell/regex only; it never touches the operating
// system but through program.FS and program.Network.
package nginx

// Package nginx is the web server of the nginx image: it serves what its users expect of it, on
// net/http. It may import the standard library and core/program only.
package nginx

// Package site serves the built page: types, compressed twins (name.br), caching, and what the page
// may do and who may frame it (nobody).
//
// It may import the standard library only. It must never proxy, run or generate anything: the
// site is static, and whatever it needs a server to do would be missing wherever else it is put.
package site

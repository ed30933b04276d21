// Package initializers has the initializers of Kubernetes 1.7 to 1.13, which upstream took away in 1.14 (kubernetes PR
// 72972): an object of a kind that an InitializerConfiguration names is stored with a list of names, in order, and
// nobody sees it before each of them, one after the other, has acted and taken its name off. The admission plugin
// "Initializers" switches it on; without it nothing of this package is in a request's way (ADR 47).
//
// It may import upstream and core/trace, and no other package of core.
package initializers

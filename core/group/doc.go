// Package group runs the parts of something in goroutines of their own, so that none of them can end the
// process, or end unseen: the first that fails or panics ends all others, and its error has its name.
//
// It may import the standard library only.
package group

// Package trusted says whether a program that root is about to run, or a directory in which root keeps
// some, can be changed by anybody else: by who owns or may write the file, or any directory or link on
// the way to it. Whoever could would be root. Linux only.
//
// It may import the standard library and golang.org/x/sys only, and must never change anything.
package trusted

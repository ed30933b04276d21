// Package diff compares files and directories as diff(1) does with -u and -N: for the small
// tool of that name, and for `kubectl diff`, which upstream hands to an external program.
//
// The comparison is github.com/pmezard/go-difflib's, which upstream's tests use as well. It may
// import that and the standard library; it must never open a file but through an fs.FS.
package diff

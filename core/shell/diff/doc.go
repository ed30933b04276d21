// Package diff compares files and directories as diff(1) does with -u and -N: for the small
// tool of that name, and for `kubectl diff`, which upstream hands to an external program.
//
// A pod chooses what is compared: what a comparison takes is drawn before, its time grows with the lines times the
// differences and is bounded for each, and the context is asked meanwhile. (go-difflib, which was here, takes the
// square of the lines in one go.) It may import the standard library only; it must never open a file but through an
// fs.FS.
package diff

// Package tool holds the small tools that containers and the terminal have besides the shell:
// cat, ls, grep, wget and so on, one file each, with the options that people use and the
// errors that busybox' users know.
//
// It may import core/program, core/shell/awk, core/shell/diff, core/shell/jq, core/shell/openssl, core/shell/pager,
// core/shell/regex, pflag,
// github.com/itchyny/gojq (for values) and the standard library. Tools see files through
// program.FS and the network through program.Network only, and do their input and output by
// the T that they are given, which yields and ends with its context.
package tool

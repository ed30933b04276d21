// Package shell is the POSIX shell with its small tools: what `sh -c` runs in an in-tab
// container, and what a line typed into the page's terminal runs in.
//
// core/shell/interp interprets; core/shell/tool holds the tools, one file each;
// core/shell/awk and core/shell/jq are the languages of two of them, core/shell/openssl is a third; core/shell/line edits lines on a terminal, and
// core/shell/pager shows texts on one. This package puts them together as programs.
//
// It may import core/program, mvdan.cc/sh/v3 and small libraries of the module graph. It must
// never import Kubernetes, touch the operating system but through program.FS, or spin without
// asking its context, which yields (see program.Yield).
package shell

// Package jq runs programs in jq's language by github.com/itchyny/gojq, within bounds.
//
// gojq asks its context for an end at each instruction, and has no other bounds. A program here shares a
// thread and a memory with a whole cluster, so that this package adds four things to what gojq compiled:
//
//   - the context gives way (program.Yield) and counts instructions (hook);
//   - functions in Go are called only with arguments for which they end soon and make no more than some
//     megabytes (bounds);
//   - expressions are matched by core/shell/regex, and what they match is counted as it is made (match);
//   - when enough may have been made since the last time, what the run holds is measured (measure).
//
// The last two look into gojq's own structures, which TestReach checks: its version is raised with that test.
//
// It may import core/shell/regex, github.com/itchyny/gojq and the standard library.
package jq

// Package jq runs programs in jq's language by github.com/itchyny/gojq, within bounds.
//
// gojq asks its context for an end at each instruction, and has no other bounds. A program here shares a
// thread and a memory with a whole cluster, so that this package adds three things to what gojq compiled:
//
//   - the context gives way (program.Yield) and counts instructions (hook);
//   - functions in Go are called only with arguments for which they end soon and make no more than some
//     megabytes (bounds);
//   - when enough may have been made since the last time, what the run holds is measured (measure).
//
// The last two look into gojq's own structures, which TestReach checks: its version is raised with that test.
//
// It may import github.com/itchyny/gojq and the standard library.
package jq

// Package killercoda reads scenarios in the form of Killercoda, a folder with index.json, as lessons: what
// its steps execute runs, what verifies them is a check.
//
//	index.json, *.md, *.sh ── Convert ──► lesson.md, and for each of its lines where it comes from
//
// The page reads them as well (web/lesson/killercoda); web/lesson/killercoda/testdata/scenarios.yaml holds both
// to the same lesson, and to the same refusals.
//
// What a scenario wants that a lesson has not is refused, by file, line and word: a lesson that does half of
// what it says teaches nothing. It may import nodehost/lesson, the standard library and mvdan.cc/sh's syntax;
// it must never run anything.
package killercoda

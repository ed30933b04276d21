// Package lesson reads lessons: a folder with lesson.md, whose form docs/lessons.md has.
//
//	lesson.md ── Parse ──► Lesson (steps, and in each what runs, is checked or asked) + Problems
//
// The page reads the same files by itself (web/lesson/parse.ts): a lesson is served as it is, by any host,
// and built by nothing. web/lesson/testdata/cases.yaml holds both to the same result.
//
// A lesson is a stranger's: everything in it is bounded here. It may import the standard library, goldmark
// and sigs.k8s.io/yaml; it must never run anything (nodehost/lesson/check does).
package lesson

// Package persist keeps a store: a snapshot of its state, and a journal with one
// record for each revision after it. Log is the mvcc.Journal that does so, on any
// Sink: a directory natively (OpenDir), the browser's own file system in the tab (wasm/opfs).
//
// Files come in generations. snapshot-N is the state at which journal-N begins;
// generation 0 has no snapshot. When a journal has grown enough, the state is
// copied and journal-N+1 begun under the store's lock, and snapshot-N+1 is
// written beside them; once it is complete, all below generation N is removed.
// So nothing is ever renamed or overwritten, which not every Sink could do in one
// step, and there is always an older way to the present than the newest snapshot.
//
// A file is a magic number and frames (frame.go), each with checksums of its
// header and its content. Opening tells three things apart:
//
//   - a torn end: the last frame of the last journal was never completely written,
//     so it was never acknowledged. It is cut off.
//   - an incomplete snapshot: the generation before leads to the present.
//   - damage: anything else that does not fit. Opening fails with a *DamageError
//     that names file and offset; Repair keeps everything before it.
//
// What is on disk when is said by SyncPolicy.
//
// The package may import core/store/mvcc and the standard library, and
// golang.org/x/sys for the lock of a directory. It must never know what is in
// keys and values, and never leave a file in a state that it would itself refuse.
package persist

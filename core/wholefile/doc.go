// Package wholefile writes files that are there whole or not at all, over a kill at any moment and a
// loss of power: the bytes go to a file beside, to the disk, and only then to the name; then the
// directory goes to the disk as well. In the tab's memory the same calls cost nothing.
//
// It may import the standard library only. It must never leave a file at the name that somebody could
// read half of.
package wholefile

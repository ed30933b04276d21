//go:build race

package hub

// floodSize is how many connections an attacker opens. The race detector takes two minutes for 1200
// handshakes, and looks for what needs two of them; that the bounds hold under all is for the lane without it.
const floodSize = 2*unfinishedPerSource + 100

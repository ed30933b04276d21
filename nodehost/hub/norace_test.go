//go:build !race

package hub

// floodSize is how many connections an attacker opens.
const floodSize = 1200

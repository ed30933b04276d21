package main

// What the heap of a cluster may have beside what is alive, in bytes. Memory of a module never
// shrinks, so that the most it ever held stays. Little that is alive leaves room for much garbage,
// which is collected seldom; the more is alive, the less: beyond plenty each byte that is alive takes
// half of one from the garbage, until it is the smallest share for which collecting pays.
const (
	plenty       = 96 << 20 // alive
	garbageShare = 1.5      // of what is alive, up to plenty
	leastShare   = 0.25     // of what is alive
)

// garbageAllowed is how much garbage may lie beside so much that is alive before it is collected.
func garbageAllowed(alive int64) int64 {
	most := int64(garbageShare * float64(min(alive, plenty)))
	return max(most-max(alive-plenty, 0)/2, int64(leastShare*float64(alive)))
}

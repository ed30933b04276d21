// Package crowd bounds those who are here and not known yet, by where they come from.
//
//	Crowd     who waits to become known; when there are too many, the oldest of the largest source goes
//	Listener  a listener whose connections are such a crowd, and none of which may stall for ever
//
// Nobody is turned away at the entrance: a newcomer costs whoever has been here longest without
// becoming known, and comes from where most come from. So neither a flood nor patience locks out
// others: who does what he came for stays for milliseconds, and who is known has left the crowd.
//
// It may import the standard library only; it must never know what its guests want.
package crowd

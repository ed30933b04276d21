// Package retired has admission plugins that upstream had in the time of the guide's editions and took away, as small
// plugins on upstream's interface: off unless they are switched on by name, as upstream's own are
// (--enable-admission-plugins). What they did, and what they said, is as it was in the last release that had them.
//
// It may import upstream, and it must never import another package of core.
package retired

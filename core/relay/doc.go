// Package relay leads HTTP on for programs of upstream that take an address and no dialer: they are told of an address of the
// process, with a key in it that nobody else has, and what they ask there goes on by a transport of ours.
//
// It may import the standard library only; it must never know what is asked.
package relay

// Package pairing keeps what the programs of one user share about a hub: its pairing secret and
// where it is, in files that only that user can read.
//
// Programs of this machine speak to the hub on its socket in that directory: at its address somebody
// else may listen after the hub was killed. It may import the standard library and core/wholefile; it must never print or log the secret.
package pairing

// Package pairing keeps what the programs of one user share about a hub: its pairing secret and
// where it is, in files that only that user can read, in a directory that only that user can write.
//
// Programs of this machine speak to the hub on its socket in that directory: at its address somebody
// else may listen after the hub was killed. It may import the standard library, core/wholefile and nodehost/trusted; it must never print or log the secret.
package pairing

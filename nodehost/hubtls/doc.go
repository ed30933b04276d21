// Package hubtls is TLS at the hub itself: the certificate that it serves its page and its tunnels
// with, and how programs know that it is the one.
//
//	serve  certificate.go  files of the user's, read again when they are renewed
//	       own.go          or one that the hub makes and keeps, for networks that are nobody's to sign for
//	dial   pin.go          by the pin of a certificate, as kubeadm's of a CA, or as every client does
//
// It is TLS to the hub, which whoever is between reads and changes nothing of; what is kept from the
// hub itself is TLS to the cluster. It may import the standard library and core/wholefile; it must never log or print
// a key.
package hubtls

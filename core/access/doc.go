// Package access gives somebody outside a client certificate, if the cluster's owner agrees.
//
//	laptop: Asker                   hub                     cluster: Server
//	    Question (key, commitment) ──────────────────────►  checked
//	    ◄────────────────────────────── Offer (CA, server name, nonce)
//	    Reveal (nonce) ──────────────────────────────────►  commitment checked
//	  code ◄─────────────── compared by a person ────────────────► code
//	    ◄──────────────────────────────────── Answer (certificate), if the owner agrees
//
// It is kubeadm's way: the key is made where it is used and never leaves; what travels is a
// certificate signing request. The cluster signs it through its own CertificateSigningRequest
// API, for a member of kubeadm:cluster-admins, and binds the user's name to cluster-admin, so that each
// can be taken back alone. All passes through a hub, which may be hostile: the
// code is of everything that it could substitute, and commitment and nonces keep it from choosing
// what gives the same code twice (ADR 19).
//
// It may import client-go, Kubernetes' API types and core/tunnel; it must never decide by itself.
package access

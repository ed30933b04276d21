// Package access gives somebody outside a client certificate, if the cluster's owner agrees.
//
//	laptop: NewRequest ─ Question ─► hub ─► cluster: Question.Check ─ owner ─ Grant ─ Answer ─►
//
// It is kubeadm's way: the key is made where it is used and never leaves; what travels is a
// certificate signing request. The cluster signs it through its own CertificateSigningRequest
// API, for a member of kubeadm:cluster-admins. Both sides show the same short Code of the
// request's key, so that the owner can see whose request it is, however it came.
//
// It may import client-go and Kubernetes' API types; it must never decide by itself.
package access

// Package manifest writes what people made in a cluster as one manifest for another: in the order in which it
// can be applied, without what controllers and the control plane made, and without what the API server
// filled in. Secrets are left out unless they are asked for.
//
// It may import client-go and apimachinery. It reads by the API only, and knows of kinds no more than what
// of them must not be applied elsewhere.
package manifest

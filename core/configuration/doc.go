// Package configuration holds the files by which a control plane is configured: in upstream's own forms
// (AuthenticationConfiguration, AuthorizationConfiguration, AdmissionConfiguration, audit Policy,
// EncryptionConfiguration, KubeSchedulerConfiguration, the static token file, ABAC's policy file), the flags that no
// such form names, and where webhooks outside of the cluster are. It knows their names and bounds, where they are kept, and which flags they stand
// for; what they say is judged by upstream's loaders (core/apiserver, core/scheduler).
//
// It may import core/wholefile and the standard library, and it must never import upstream or another package
// of core.
package configuration

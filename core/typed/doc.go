// Package typed is what people type and what Kubernetes answers: tables of lines that are held against a cluster. The
// same table is for clusters of every kind (core/cluster/testdata/kubectl.yaml: in-tab nodes natively, the built page in
// Chromium, which reads it by itself, and, of some cases, real nodes), so that they answer alike.
//
// It is for tests. It imports sigs.k8s.io/yaml. It must never know what runs the lines.
package typed

// Package dex is the server of the image dexidp/dex: an OpenID Connect provider, as https://dexidp.io has it, by dex's own
// configuration file and addresses. Whoever logs in does so by the passwords of that file (connector "local"); the
// authorization code with PKCE, device codes, passwords and refresh tokens lead to an ID token that an API server takes.
//
// What is not here says so: connectors to other providers, storage beyond memory, gRPC, sessions, several factors, the
// implicit flow, templates of the configuration (gomplate). The key is made at the start and lives as long as the process.
//
// Who asks is a stranger: what is kept has an end by count and age (store.go), forms and parameters by length, and
// passwords are checked one at a time. Nobody is sent to an address that a client has not registered.
//
// The package may import the standard library, core/program, core/shell/openssl for RSA keys, bcrypt, go-jose,
// protobuf's wire format, pflag and sigs.k8s.io/yaml. It must never import Kubernetes.
package dex

// Package podinfo is the server of the image stefanprodan/podinfo, by which tutorials about rollouts, probes,
// autoscaling and delivery show what a small service does. Its requests, flags and variables are described in
// https://github.com/stefanprodan/podinfo; here are those that need nothing beside the pod. It has no Redis behind
// /cache, no OpenTelemetry, no Swagger and of gRPC its health service, and says so where it is asked for.
//
// The package may import the standard library, core/program, gorilla/websocket, Prometheus' client, pflag, zap and
// gRPC's health service. It must never import Kubernetes.
package podinfo

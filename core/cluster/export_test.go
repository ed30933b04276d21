package cluster

// DialService is what the apiserver dials addresses of Services by.
var DialService = (*Cluster).dialService

package main

// main does nothing on js: there is no etcd to measure.
func main() {}

// Package goroutine marks what a goroutine works for: a mark is inherited by each goroutine that it
// starts, at whatever remove, as the labels of runtime/pprof are, which it is made of. A profile
// therefore shows the marks as labels.
//
// It may import the standard library only. It must never be used for what something depends on: a
// mark is lost where work goes through a channel. core/node/ownmetrics, which tells the kubelets of one process apart
// for code of upstream's that knows of one only, has no other way.
package goroutine

// Package reconcile works off a queue of keys as controllers of Kubernetes do: one at a time, again and later each
// time where one failed, until the queue is shut down.
//
// It may import client-go's workqueue and the API's errors; it must never know what a key is of.
package reconcile

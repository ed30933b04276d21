package clienttrace

import (
	_ "unsafe" // for go:linkname

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	_ "k8s.io/client-go/tools/cache" // has the variables below, by the overlay
	"k8s.io/client-go/util/workqueue"
	_ "k8s.io/kubernetes/pkg/controller" // the same
	"k8s.io/kubernetes/pkg/controller/replicaset"
	_ "k8s.io/kubernetes/pkg/controller/tainteviction" // the same
)

//go:linkname replicasetBatch k8s.io/kubernetes/pkg/controller/replicaset.batch
var replicasetBatch func(size, remaining int) (ended func(failed int))

//go:linkname controllerClaimed k8s.io/kubernetes/pkg/controller.claimed
var controllerClaimed func(controller, object metav1.Object, adopted bool)

//go:linkname taintevictionCarry k8s.io/kubernetes/pkg/controller/tainteviction.carry
var taintevictionCarry func(f func()) func()

//go:linkname cacheDistributed k8s.io/client-go/tools/cache.distributed
var cacheDistributed func(event string, object any, listeners int)

//go:linkname cacheDelivering k8s.io/client-go/tools/cache.delivering
var cacheDelivering func(object any) (delivered func())

//go:linkname cacheReads k8s.io/client-go/tools/cache.reads
var cacheReads func() (tell func(kind, by, what string, first []any, n int))

//go:linkname newTap k8s.io/client-go/util/workqueue.newTap
var newTap func(name string) workqueue.Tap

func hook() {
	cacheDistributed, cacheDelivering, cacheReads = distributed, delivering, reads
	replicasetBatch = func(size, remaining int) func(int) { return Batch(size, remaining, replicaset.BurstReplicas) }
	controllerClaimed = Claim
	taintevictionCarry = carry
	newTap = func(name string) workqueue.Tap { return newQueue(name) }
}

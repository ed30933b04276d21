package lesson

// chapters of the guide (web/guide/chapters), which links may lead to: an author's machine has this program
// and no guide.
var chapters = []string{
	"kubectl",
	"authentication",
	"authorization",
	"admission",
	"etcd",
	"initializers",
	"controllers",
	"scheduler",
	"kubelet",
	"cri",
	"cni",
	"networking",
	"startup",
	"wrap-up",
}

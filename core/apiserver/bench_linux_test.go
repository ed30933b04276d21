package apiserver

import (
	"fmt"
	"os"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/scripts/cputime"
)

// assembled says whose server BenchmarkCreate asks: "upstream" for one that upstream's own command would run with our
// flags, "initializers" for ours with initializers switched on and none configured, "ours" or nothing for ours with no
// configuration. One for a process: upstream keeps state in package variables.
const assembled = "TABERNETES_TEST_SERVER"

// BenchmarkCreate creates pods, one after the other, over TLS and by a client's certificate, in an API server and a store
// that have nobody beside them. scripts/bench-configuration compares whose server it is.
func BenchmarkCreate(b *testing.B) {
	client := served(b, os.Getenv(assembled))
	defer cputime.Report(b)()
	for i := 0; b.Loop(); i++ {
		if _, err := client.CoreV1().Pods("default").Create(b.Context(), podNamed(fmt.Sprintf("pod-%d", i)), metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

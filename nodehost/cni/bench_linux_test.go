package cni

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// BenchmarkStart is what it costs that the plugin is a program: each of the two that it can be.
//
//	go test -run Nothing -bench . ./nodehost/cni
func BenchmarkStart(b *testing.B) {
	for _, name := range []string{"tabernetes-cni", "nodehost"} {
		pkg := map[string]string{"tabernetes-cni": "./tabernetes-cni", "nodehost": "./.."}[name]
		program := filepath.Join(b.TempDir(), name)
		if out, err := exec.Command("go", "build", "-o", program, pkg).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(program)
				cmd.Env = []string{"CNI_COMMAND=VERSION"}
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}

// BenchmarkSandbox is ADD and DEL of the whole chain for a pod without host ports.
func BenchmarkSandbox(b *testing.B) {
	program := filepath.Join(b.TempDir(), "tabernetes-cni")
	if out, err := exec.Command("go", "build", "-o", program, "./tabernetes-cni").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	n := newNode(b, testnet.New(b).Host(b, "192.168.1.11/24"), "1.0.0")
	if err := replaceLink(filepath.Join(n.BinDir(), "tabernetes"), program); err != nil {
		b.Fatal(err)
	}
	p := newPod(b, "a", nil)
	for b.Loop() {
		n.add(b, p)
		n.del(b, p)
	}
}

package join

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"github.com/tabernetes/tabernetes/nodehost/kubelet"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

const (
	keepVar = "TABERNETES_KEEP"    // the directory of a machine that joins in a process of its own, which
	stepVar = "TABERNETES_KEPT_TO" // is killed after this step
	aToken  = "abcdef.0123456789abcdef"
)

// joining is a machine whose cluster has been found.
func joining(dir string) *node {
	place := nodedir.Place{Dir: filepath.Join(dir, "node"), Run: filepath.Join(dir, "run")}
	return &node{
		Options: Options{Place: place, Token: aToken, Log: slog.New(slog.DiscardHandler)},
		state:   &nodedir.State{Node: "a", Instance: rand.Text()},
	}
}

// Whoever is killed between any two steps of joining can be given the line again, and can leave: all
// that is there is known.
func TestAKillBetweenStepsOfJoining(t *testing.T) {
	if dir := os.Getenv(keepVar); dir != "" {
		kept = func(step string) {
			if step == os.Getenv(stepVar) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		t.Fatal(joining(dir).keep([]byte("CA"), "127.0.0.1:1"))
	}
	for _, step := range []string{"state", "CA", "token", "joined"} {
		t.Run(step, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command("/proc/self/exe", "-test.run=^"+strings.Split(t.Name(), "/")[0]+"$")
			cmd.Env = append(os.Environ(), keepVar+"="+dir, stepVar+"="+step)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("it was not killed: %v: %s", err, out)
			}
			n := joining(dir)
			entries, err := os.ReadDir(n.Place.Dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if path := filepath.Join(n.Place.Dir, e.Name()); !slices.Contains(n.Place.Known(), path) && !slices.Contains(n.Place.Last(), path) {
					t.Errorf("leave does not know of %s", path)
				}
			}
			s, err := n.Place.Load()
			if err != nil || s.Joined != (step == "joined") || !n.Place.IsMarked() {
				t.Fatalf("the state is %+v, %v", s, err)
			}
			if !s.Joined {
				if err := n.Place.Check(); err != nil {
					t.Fatal(err)
				}
				n.state = s
				if err := n.keep([]byte("CA"), "127.0.0.1:2"); err != nil {
					t.Fatal(err)
				}
			}
			ca, err := os.ReadFile(n.Place.CA())
			config, err2 := clientcmd.LoadFromFile(n.Place.Bootstrap())
			if err := errors.Join(err, err2); err != nil || string(ca) != "CA" || config.AuthInfos["node"].Token != aToken {
				t.Errorf("CA %q, token %+v, %v", ca, config, err)
			}
		})
	}
}

// certified gives the kubelet a certificate that is good for a day.
func certified(t *testing.T, n *node, since time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: since, NotAfter: since.Add(24 * time.Hour)}
	crt, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		t.Fatal(err)
	}
	file := kubelet.ClientCert(n.Place.Kubelet())
	text := append(pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: crt}), private...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestTheKubeletsFiles(t *testing.T) {
	n := joining(t.TempDir())
	if err := n.keep([]byte("CA"), "127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	server := func(path string) string {
		t.Helper()
		config, err := clientcmd.LoadFromFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return config.Clusters["tabernetes"].Server
	}
	// The token leads where the forwarder is now.
	if err := n.writeConfigs("127.0.0.1:2"); err != nil || server(n.Place.Bootstrap()) != "https://127.0.0.1:2" {
		t.Errorf("before there is a certificate: %v", err)
	}
	// Upstream's own write of kubelet.conf was cut short.
	certified(t, n, time.Now().Add(-time.Hour))
	if err := os.WriteFile(n.Place.Kubeconfig(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := n.writeConfigs("127.0.0.1:3"); err != nil || server(n.Place.Kubeconfig()) != "https://127.0.0.1:3" {
		t.Errorf("an empty kubelet.conf: %v", err)
	}
	if exists(n.Place.Bootstrap()) {
		t.Error("the token is there, and the node has a certificate")
	}
	before, err := os.Stat(n.Place.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := n.writeConfigs("127.0.0.1:3"); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(n.Place.Kubeconfig()); err != nil || !os.SameFile(before, now) {
		t.Errorf("a file that is as it should be was written again: %v", err)
	}
	// A node that was off for longer than its certificate was good has nothing to come back with.
	certified(t, n, time.Now().Add(-48*time.Hour))
	if err := n.writeConfigs("127.0.0.1:3"); err == nil || !strings.Contains(err.Error(), "nodehost leave --force") {
		t.Errorf("without a certificate and a token: %v", err)
	}
}

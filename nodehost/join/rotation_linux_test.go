package join

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	certutil "k8s.io/client-go/util/cert"

	"github.com/tabernetes/tabernetes/nodehost/kubelet"
)

// signingTime is how long certificates of this cluster are good for; upstream signs them
// from five minutes earlier on, and the kubelet asks for another one when 70 to 90 % of all that is
// over. So the first ones are replaced one to three minutes after they were made.
const signingTime = 4 * time.Minute

// The kubelet's client and serving certificates are replaced before they expire, and the node outlives
// the first ones of both.
func TestCertificatesRotate(t *testing.T) {
	longLane(t)
	r := newRig(t, "--controller-arg=--cluster-signing-duration="+signingTime.String())
	h := r.host(t, "alpha", "192.168.171.11/24")
	h.Join(t, h.JoinLine(t)...)
	h.ImportImages(t, "pause", "busybox")
	r.Kubectl(t, `kubectl run web --image=busybox --image-pull-policy=IfNotPresent --overrides='{"spec":{"tolerations":[{"operator":"Exists"}],"nodeName":"alpha"}}' -- sleep 3000`)
	r.Kubectl(t, "kubectl wait --for=condition=Ready pod/web --timeout=90s")

	client := func() (*x509.Certificate, error) {
		certs, err := certutil.CertsFromFile(kubelet.ClientCert(h.Place.Kubelet()))
		if err != nil {
			return nil, err
		}
		return certs[0], nil
	}
	serving := func() (cert *x509.Certificate, err error) {
		// What the kubelet shows, not what is in its files.
		var raw net.Conn
		if raw, err = h.Dial("tcp", "127.0.0.1:10250"); err != nil {
			return nil, err
		}
		defer raw.Close()
		c := tls.Client(raw, &tls.Config{InsecureSkipVerify: true}) // its chain is the apiserver's matter
		if err := c.HandshakeContext(t.Context()); err != nil {
			return nil, err
		}
		return c.ConnectionState().PeerCertificates[0], nil
	}
	first := map[string]*x509.Certificate{}
	now := map[string]func() (*x509.Certificate, error){"client": client, "serving": serving}
	for name, get := range now {
		var err error
		if first[name], err = get(); err != nil {
			t.Fatal(err)
		}
		if life := first[name].NotAfter.Sub(first[name].NotBefore); life > signingTime+6*time.Minute {
			t.Fatalf("the %s certificate is good for %s", name, life)
		}
	}
	for name, get := range now {
		for {
			cert, err := get()
			if err == nil && cert.SerialNumber.Cmp(first[name].SerialNumber) != 0 {
				t.Logf("the %s certificate was replaced; it would have been good for %s more", name, time.Until(first[name].NotAfter).Round(time.Second))
				break
			}
			if time.Now().After(first[name].NotAfter) {
				t.Fatalf("the %s certificate has expired and was not replaced: %v", name, err)
			}
			time.Sleep(time.Second)
		}
	}
	// All who still had the first ones have to use the later ones now.
	for _, cert := range first {
		time.Sleep(time.Until(cert.NotAfter) + time.Second)
	}
	r.Eventually(t, "kubectl exec web -- hostname", "web")
	r.Eventually(t, fmt.Sprintf(`[ $(date -d "$(kubectl -n kube-node-lease get lease alpha -o jsonpath='{.spec.renewTime}')" +%%s) -gt %d ] && echo renewed`, time.Now().Unix()), "renewed")
	r.Eventually(t, `kubectl get node alpha -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'`, "True")
	if files, _ := filepath.Glob(filepath.Join(h.Place.Kubelet(), "pki", "kubelet-*-20*.pem")); len(files) < 4 {
		t.Errorf("the kubelet has kept %v, and there were two of each kind at least", files)
	}
}

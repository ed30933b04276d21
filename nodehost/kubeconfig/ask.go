package kubeconfig

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/nodehost/hub"
)

// Options of `nodehost kubeconfig`.
type Options struct {
	// Hub is the hub's URL, Secret its pairing secret.
	Hub, Secret string
	// Cluster is the cluster's name at the hub; empty if there is only one.
	Cluster string
	// User is who asks.
	User string
	// File is the kubeconfig to merge into; empty is the user's own, as kubectl finds it.
	File string
	// KeepContext leaves the current context as it is.
	KeepContext bool
	// OwnPort uses the cluster's own port at the hub, for programs that cannot send a server name.
	OwnPort bool
	// Out gets what a person should read.
	Out io.Writer
}

// Run asks, waits for the owner and writes the kubeconfig.
func Run(ctx context.Context, o Options) error {
	key, q, err := access.NewRequest(o.User)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Asking the owner of the cluster to agree. The page shows the code %s.\n", q.Code())
	at, got, err := o.ask(ctx, q)
	if err != nil {
		return err
	}
	if err := fits(got, key); err != nil {
		return err
	}
	name, err := o.merge(at, got, key)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Context %q is in the kubeconfig: kubectl --context=%s get nodes\n", name, name)
	return nil
}

// maxAnswer is the size of the hub's answer in bytes.
const maxAnswer = 128 << 10

func (o *Options) ask(ctx context.Context, q access.Question) (hub.Cluster, access.Answer, error) {
	var got struct {
		Cluster hub.Cluster   `json:"cluster"`
		Answer  access.Answer `json:"answer"`
	}
	body, err := json.Marshal(map[string]any{"cluster": o.Cluster, "question": q})
	if err != nil {
		return got.Cluster, got.Answer, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(o.Hub, "/")+"/hub/v1/access", bytes.NewReader(body))
	if err != nil {
		return got.Cluster, got.Answer, fmt.Errorf("ask the hub: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+o.Secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return got.Cluster, got.Answer, fmt.Errorf("ask the hub: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return got.Cluster, got.Answer, fmt.Errorf("ask the hub: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return got.Cluster, got.Answer, fmt.Errorf("no access: %s", strings.TrimSpace(string(text)))
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return got.Cluster, got.Answer, fmt.Errorf("read the hub's answer: %w", err)
	}
	return got.Cluster, got.Answer, nil
}

// fits checks that what came back is a certificate for our key, signed by the cluster's CA.
func fits(a access.Answer, key []byte) error {
	cert, err := parse(a.Certificate)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	ca, err := parse(a.CA)
	if err != nil {
		return fmt.Errorf("read the cluster's CA: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	if _, err := cert.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		return fmt.Errorf("the certificate is not the cluster's: %w", err)
	}
	return samePair(a.Certificate, key)
}

func parse(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, errors.New("it is no PEM block CERTIFICATE")
	}
	return x509.ParseCertificate(block.Bytes)
}

// merge writes cluster, user and context into the kubeconfig and returns the context's name.
func (o *Options) merge(at hub.Cluster, a access.Answer, key []byte) (string, error) {
	address, serverName, err := o.address(at)
	if err != nil {
		return "", err
	}
	paths := clientcmd.NewDefaultPathOptions()
	if o.File != "" {
		paths.LoadingRules.ExplicitPath = o.File
	}
	config, err := paths.GetStartingConfig()
	if err != nil {
		return "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	name := "tabernetes-" + at.Name
	user := o.User + "@" + name
	config.Clusters[name] = &clientcmdapi.Cluster{
		Server: "https://" + address, TLSServerName: serverName, CertificateAuthorityData: []byte(a.CA),
	}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: []byte(a.Certificate), ClientKeyData: key}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: user}
	if !o.KeepContext || config.CurrentContext == "" {
		config.CurrentContext = name
	}
	if err := clientcmd.ModifyConfig(paths, *config, true); err != nil {
		return "", fmt.Errorf("write the kubeconfig: %w", err)
	}
	return name, nil
}

// address is where clients reach the cluster. A hub that listens on all addresses is reached by
// the one that it was asked by.
func (o *Options) address(at hub.Cluster) (address, serverName string, err error) {
	if len(at.Addresses) == 0 {
		return "", "", errors.New("the hub does not say where clients reach the cluster")
	}
	address, serverName = at.Addresses[0], at.ServerName
	if o.OwnPort {
		if len(at.Addresses) < 2 {
			return "", "", errors.New("the cluster has no port of its own; start the hub with --cluster-ports")
		}
		address, serverName = at.Addresses[1], ""
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", "", fmt.Errorf("the hub names the address %q: %w", address, err)
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		asked, err := url.Parse(o.Hub)
		if err != nil {
			return "", "", err
		}
		if serverName == "" {
			serverName = "localhost" // its certificate has no name for the hub's machine
		}
		address = net.JoinHostPort(asked.Hostname(), port)
	}
	return address, serverName, nil
}

package discovery

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	bootstraputil "k8s.io/cluster-bootstrap/token/util"
	kubeadmapi "k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm"
	"k8s.io/kubernetes/cmd/kubeadm/app/discovery/token"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/pubkeypin"

	"github.com/tabernetes/tabernetes/core/confine"
)

// What is wrong; errors of this package wrap one of them.
var (
	ErrUnreachable = errors.New("the cluster's apiserver does not answer")
	ErrClock       = errors.New("the clocks differ")
	ErrToken       = errors.New("the token is not good for this cluster")
	ErrPin         = errors.New("the cluster's CA is not the one that --ca-cert-hash names")
	ErrName        = errors.New("the name is taken")
)

// Options of Discover.
type Options struct {
	// Endpoint is the forwarder's "127.0.0.1:port".
	Endpoint string
	// Token is "id.secret"; CAHash is "sha256:…", of which one at least is wanted.
	Token  string
	CAHash []string
	// Node is the name to be taken.
	Node string
	// Now is the machine's clock. Default time.Now.
	Now func() time.Time
}

const (
	// maxSkew is less than the five minutes by which signed certificates are backdated.
	maxSkew = 4 * time.Minute
	// signPatience is for the controller that signs cluster-info with a token that was made a moment ago.
	signPatience = 11 * time.Second
	retry        = 300 * time.Millisecond
)

// answerPatience is for the apiserver, which may be starting. Tests have less of it.
var answerPatience = 20 * time.Second

// Check says what is wrong with the options before anything is asked.
func (o *Options) Check() error {
	if !bootstraputil.IsValidBootstrapToken(o.Token) {
		return fmt.Errorf("%w: it has to look like abcdef.0123456789abcdef; copy the line again", ErrToken)
	}
	if len(o.CAHash) == 0 {
		return fmt.Errorf("%w: none was given; copy the line again", ErrPin)
	}
	if err := pubkeypin.NewSet().Allow(o.CAHash...); err != nil {
		return fmt.Errorf("%w: %w", ErrPin, err)
	}
	return nil
}

// Discover returns the cluster's CA, PEM.
func Discover(ctx context.Context, o Options) ([]byte, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := o.checkClock(ctx); err != nil {
		return nil, err
	}
	ca, err := o.clusterInfo()
	if err != nil {
		return nil, err
	}
	return ca, o.checkName(ctx, ca)
}

// checkClock compares with the apiserver's clock. Nothing is believed of it that would do harm, so
// that its certificate does not matter yet.
func (o *Options) checkClock(ctx context.Context) error {
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
		DisableKeepAlives: true,
	}}
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	var last error
	for {
		there, err := serverTime(ctx, client, "https://"+o.Endpoint+"/version")
		if err == nil {
			skew := o.Now().Sub(there)
			if skew.Abs() <= maxSkew {
				return nil
			}
			where := "ahead of"
			if skew < 0 {
				where = "behind"
			}
			return fmt.Errorf("%w: this machine's is %s %s the cluster's, which is more than certificates allow; set it right: timedatectl set-ntp true",
				ErrClock, skew.Abs().Round(time.Second), where)
		}
		if last == nil || ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w; is the page open?", ErrUnreachable, last)
		case <-time.After(retry):
		}
	}
}

func serverTime(ctx context.Context, client *http.Client, url string) (time.Time, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return time.Time{}, err
	}
	res, err := client.Do(req)
	if err != nil {
		return time.Time{}, err
	}
	defer res.Body.Close()
	return http.ParseTime(res.Header.Get("Date"))
}

// clusterInfo is kubeadm's discovery; what it says is told apart by what it says.
func (o *Options) clusterInfo() ([]byte, error) {
	config, err := token.RetrieveValidatedConfigInfo(nil, &kubeadmapi.Discovery{
		BootstrapToken: &kubeadmapi.BootstrapTokenDiscovery{
			Token: o.Token, APIServerEndpoint: o.Endpoint, CACertHashes: o.CAHash,
		},
	}, signPatience)
	if err != nil {
		again := "make another one with `nodehost token create`, or on the page"
		text := err.Error()
		switch {
		case strings.Contains(text, "could not find a JWS signature"), strings.Contains(text, "is invalid for this cluster"):
			return nil, fmt.Errorf("%w: nobody made it, or it has expired; %s", ErrToken, again)
		case strings.Contains(text, "failed to verify JWS signature"):
			return nil, fmt.Errorf("%w: its second half is wrong; %s", ErrToken, again)
		case strings.Contains(text, "cluster CA found in"):
			return nil, fmt.Errorf("%w: this is another cluster, or somebody is in between; copy the line again", ErrPin)
		case strings.Contains(text, "configmaps \"cluster-info\""):
			return nil, fmt.Errorf("%w: nobody has made one here yet; %s", ErrToken, again)
		}
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	for _, c := range config.Clusters {
		return c.CertificateAuthorityData, nil
	}
	return nil, fmt.Errorf("%w: cluster-info names no cluster", ErrUnreachable)
}

// checkName asks with the token whether there is a Node of that name, as kubeadm does.
func (o *Options) checkName(ctx context.Context, ca []byte) error {
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: "https://" + o.Endpoint, BearerToken: o.Token, TLSClientConfig: rest.TLSClientConfig{CAData: ca},
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	_, err = client.CoreV1().Nodes().Get(ctx, o.Node, metav1.GetOptions{})
	switch {
	case err == nil:
		return fmt.Errorf("%w: there is a node called %q in the cluster; choose another name with --node-name, or remove it: kubectl delete node %s", ErrName, o.Node, o.Node)
	case apierrors.IsNotFound(err):
		if err := confine.Name(o.Node); err != nil {
			return fmt.Errorf("%w: %w, and no machine can have it; choose another name with --node-name", ErrName, err)
		}
		return nil
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		return fmt.Errorf("%w: it may not be used for joining; make another one with `nodehost token create`, or on the page", ErrToken)
	}
	return fmt.Errorf("%w: ask for node %s: %w", ErrUnreachable, o.Node, err)
}

package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	apiserverinstall "k8s.io/apiserver/pkg/apis/apiserver/install"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubernetes/plugin/pkg/admission/imagepolicy"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/egress"
	"github.com/tabernetes/tabernetes/core/relay"
)

// Upstream's ImagePolicyWebhook takes a kubeconfig and no dialer, so that it would dial past the router. It is made once
// more, with a kubeconfig that names an address of the process: what is sent there goes to the server of the file that
// was configured, by the router.

// maxImageReview is of one answer in bytes, for which upstream has no bound.
const maxImageReview = 1 << 20

// imagePolicy puts that plugin in the place of the other one when a server is made, once for all parts of its chain. Its
// address is served until ctx is done; failed is why it could not be, once the server is made.
func imagePolicy(ctx context.Context, o *genericoptions.AdmissionOptions, router *egress.Router) (failed func() error) {
	var err error
	made := sync.OnceValue(func() (ours admission.Interface) {
		ours, err = imagePolicyBy(ctx, o.ConfigFile, router)
		return ours
	})
	o.Decorators = append(admission.Decorators{admission.DecoratorFunc(func(p admission.Interface, name string) admission.Interface {
		if name == imagepolicy.PluginName {
			if ours := made(); ours != nil {
				return ours
			}
		}
		return p
	})}, o.Decorators...)
	return func() error { return err }
}

// imagePolicyBy is nil where the file names no kubeconfig: then upstream's is one of the machine, which is not ours.
func imagePolicyBy(ctx context.Context, configFile string, router *egress.Router) (admission.Interface, error) {
	scheme := runtime.NewScheme()
	apiserverinstall.Install(scheme)
	provider, err := admission.ReadAdmissionConfiguration([]string{imagepolicy.PluginName}, configFile, scheme)
	if err != nil {
		return nil, err
	}
	text, err := provider.ConfigFor(imagepolicy.PluginName)
	if err != nil || text == nil {
		return nil, err
	}
	b, err := io.ReadAll(text)
	if err != nil {
		return nil, err
	}
	var config struct {
		ImagePolicy map[string]any `json:"imagePolicy"`
	}
	if err := yaml.Unmarshal(b, &config); err != nil {
		return nil, err
	}
	path, _ := config.ImagePolicy["kubeConfigFile"].(string)
	if path == "" {
		return nil, nil
	}
	there, err := webhook.LoadKubeconfig(path, router.DialAsServer)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "image-policy-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	address, err := serveWayTo(ctx, there)
	if err != nil {
		return nil, fmt.Errorf("serve the way to %s: %w", there.Host, err)
	}
	config.ImagePolicy["kubeConfigFile"] = filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: "way",
		Contexts:       map[string]*clientcmdapi.Context{"way": {Cluster: "way"}},
		Clusters:       map[string]*clientcmdapi.Cluster{"way": {Server: address}},
	}, filepath.Join(dir, "kubeconfig")); err != nil {
		return nil, err
	}
	if b, err = json.Marshal(config); err != nil {
		return nil, err
	}
	plugin, err := imagepolicy.NewImagePolicyWebhook(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return plugin, nil
}

// serveWayTo serves an address of the process that leads to a server, with what its kubeconfig says of who asks.
func serveWayTo(ctx context.Context, there *rest.Config) (string, error) {
	target, _, err := rest.DefaultServerUrlFor(there)
	if err != nil {
		return "", err
	}
	transport, err := rest.TransportFor(there)
	if err != nil {
		return "", err
	}
	r, err := relay.Serve()
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, r.Close)
	return r.Lead(relay.Way{
		Target: target, Transport: transport, MaxAnswer: maxImageReview,
		Failed: func(w http.ResponseWriter, err error) {
			sayNoAnswer(w, &url.Error{Op: "Post", URL: target.String(), Err: err})
		},
	}), nil
}

// sayNoAnswer tells upstream's client an error as it would have had it from its own dial: that it does not ask again.
func sayNoAnswer(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	w.WriteHeader(http.StatusBadGateway)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: err.Error(), Code: http.StatusBadGateway,
	})
}

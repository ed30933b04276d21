package apiserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	apiserverapi "k8s.io/apiserver/pkg/apis/apiserver"
	apiserverinstall "k8s.io/apiserver/pkg/apis/apiserver/install"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/kubeapiserver/options"
	"k8s.io/kubernetes/plugin/pkg/admission/noderestriction"

	"github.com/tabernetes/tabernetes/core/initializers"
	"github.com/tabernetes/tabernetes/core/retired"
	"github.com/tabernetes/tabernetes/core/trace"
)

// AdmissionPlugin is one that kube-apiserver has.
type AdmissionPlugin struct {
	Name string
	// Default is whether a cluster has it in force unless its flags say otherwise: upstream's choice, and kubeadm's.
	Default bool
}

// AdmissionPlugins are all there are, upstream's and ours, in the order in which they are asked.
var AdmissionPlugins = sync.OnceValue(func() []AdmissionPlugin {
	o := options.NewAdmissionOptions().GenericAdmission
	warnOfSCTP(o, func() bool { return false })
	warnOfIngresses(o, func() bool { return false }, "")
	warnOfSecurityContexts(o, func() bool { return false })
	registerOurs(o, nil, nil)
	off := o.DefaultOffPlugins.Clone()
	off.Delete(noderestriction.PluginName) // kubeadm, and Args
	all := make([]AdmissionPlugin, len(o.RecommendedPluginOrder))
	for i, name := range o.RecommendedPluginOrder {
		all[i] = AdmissionPlugin{name, !off.Has(name)}
	}
	return all
})

// registerOurs adds the plugins that upstream has not any more.
func registerOurs(o *genericoptions.AdmissionOptions, usage retired.Usage, bus *trace.Bus) *initializers.Feature {
	retired.Register(o, usage)
	return initializers.Register(o, bus)
}

// CheckAdmission says what kube-apiserver would refuse of an AdmissionConfiguration in YAML at
// its start, by having upstream read it and make each plugin that it configures. Nil means that
// it would start. A plugin's configuration has to stand in the file itself: upstream ends the
// process over a `path` that is not there.
func CheckAdmission(configuration []byte) error {
	if len(configuration) == 0 {
		return nil
	}
	scheme := runtime.NewScheme()
	apiserverinstall.Install(scheme)
	if err := checkPaths(scheme, configuration); err != nil {
		return fmt.Errorf("AdmissionConfiguration: %w", err)
	}
	dir, err := os.MkdirTemp("", "admission-check-")
	if err != nil {
		return fmt.Errorf("check the admission configuration: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(path, configuration, 0o600); err != nil {
		return fmt.Errorf("check the admission configuration: %w", err)
	}
	provider, err := admission.ReadAdmissionConfiguration(options.AllOrderedPlugins, path, scheme)
	if err != nil {
		return fmt.Errorf("AdmissionConfiguration: %w", err)
	}
	return errors.Join(checkPlugins(provider)...)
}

func checkPaths(scheme *runtime.Scheme, configuration []byte) error {
	codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	object, err := runtime.Decode(codecs.UniversalDecoder(), configuration)
	if err != nil {
		return err
	}
	c, ok := object.(*apiserverapi.AdmissionConfiguration)
	if !ok {
		return fmt.Errorf("it is a %T", object)
	}
	for i, p := range c.Plugins {
		if p.Path != "" {
			return fmt.Errorf("plugins[%d].path: there is no file %s; put what it says under plugins[%d].configuration", i, p.Path, i)
		}
	}
	return nil
}

// checkPlugins makes the configured plugins. What one without any configuration complains about as
// well is not of the file: they get clients here that lead nowhere, and not all they need.
func checkPlugins(provider admission.ConfigProvider) (errs []error) {
	plugins := admission.NewPlugins()
	options.RegisterAllAdmissionPlugins(plugins)
	clients, err := clientsToNowhere()
	if err != nil {
		return []error{err}
	}
	for _, name := range options.AllOrderedPlugins {
		config, err := provider.ConfigFor(name)
		if err == nil && config != nil {
			_, err = plugins.InitPlugin(name, config, clients)
			_, without := plugins.InitPlugin(name, nil, clients)
			if err != nil && without != nil && err.Error() == without.Error() {
				err = nil
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// clientsToNowhere gives plugins what the server gives them, as far as they look at it before
// they are first asked.
func clientsToNowhere() (admission.PluginInitializer, error) {
	nowhere := &rest.Config{Host: "127.0.0.1:0"}
	client, err := kubernetes.NewForConfig(nowhere)
	if err != nil {
		return nil, err
	}
	dynamicClient, err := dynamic.NewForConfig(nowhere)
	if err != nil {
		return nil, err
	}
	return initializer.New(client, dynamicClient, informers.NewSharedInformerFactory(client, 0), nil,
		utilfeature.DefaultFeatureGate, compatibility.DefaultBuildEffectiveVersion(), nil, nil), nil
}

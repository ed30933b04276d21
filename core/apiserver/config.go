package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/pflag"
	apiextensionsapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/util/webhook"
	logsapi "k8s.io/component-base/logs/api/v1"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controlplane"
	controlplaneapiserver "k8s.io/kubernetes/pkg/controlplane/apiserver"
	generatedopenapi "k8s.io/kubernetes/pkg/generated/openapi"

	"github.com/tabernetes/tabernetes/core/apiserver/apitrace"
	"github.com/tabernetes/tabernetes/core/initializers"
	"github.com/tabernetes/tabernetes/core/retired"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Config is upstream's configuration of the whole chain, not yet completed.
type Config struct {
	upstream *app.Config
	storage  *serverstorage.DefaultStorageFactory
	self     *loopback
	trace    *trace.Bus
	groups   []*genericapiserver.APIGroupInfo
	// initializers is nil unless they are switched on.
	initializers *initializers.Feature
}

type completedConfig struct {
	upstream app.CompletedConfig
	storage  *serverstorage.DefaultStorageFactory
	self     *loopback
	trace    *trace.Bus
	groups   []*genericapiserver.APIGroupInfo
	// initializers is nil unless they are switched on.
	initializers *initializers.Feature
}

// CompletedConfig can be made by Config.Complete only.
type CompletedConfig struct {
	*completedConfig
}

// Complete fills in what upstream derives.
func (c *Config) Complete() (CompletedConfig, error) {
	completed, err := c.upstream.Complete()
	if err != nil {
		return CompletedConfig{}, fmt.Errorf("complete the apiserver's configuration: %w", err)
	}
	return CompletedConfig{&completedConfig{upstream: completed, storage: c.storage, self: c.self, trace: c.trace, groups: c.groups, initializers: c.initializers}}, nil
}

// Config validates the options as `kube-apiserver` would its flags and assembles the chain's
// configuration. It follows NewConfig of upstream's cmd/kube-apiserver/app/config.go, with the
// differences that egress goes through our router and the server's own clients stay in the process.
func (o *Options) Config(ctx context.Context) (*Config, error) {
	opts, feature, err := o.complete(ctx)
	if err != nil {
		return nil, err
	}
	// Who is asked who somebody is, and what they may do, is dialled by what upstream reads there.
	if opts.EgressSelector.ConfigFile, err = o.Egress.Connect(ctx); err != nil {
		return nil, fmt.Errorf("serve the router to the apiserver: %w", err)
	}
	imagePolicyFailed := imagePolicy(ctx, opts.Admission.GenericAdmission, o.Egress)
	self := newLoopback()
	defer self.early()()
	genericConfig, informers, storageFactory, err := controlplaneapiserver.BuildGenericConfig(
		opts.CompletedOptions,
		[]*runtime.Scheme{legacyscheme.Scheme, apiextensionsapiserver.Scheme, aggregatorscheme.Scheme},
		controlplane.DefaultAPIResourceConfigSource(),
		generatedopenapi.GetOpenAPIDefinitions,
	)
	if err != nil {
		return nil, fmt.Errorf("build the generic apiserver configuration: %w", err)
	}
	// All others get our dialers, which no file can name.
	genericConfig.EgressSelector = o.Egress.Selector()
	storageFactory.StorageConfig.Transport.EgressLookup = o.Egress.Selector().Lookup
	withPasswords, err := basicAuth(o.BasicAuthFile, genericConfig.Authentication.Authenticator)
	if err != nil {
		return nil, err
	}
	genericConfig.Authentication.Authenticator = trustingCallers(withPasswords)
	self.keep(genericConfig)
	o.Audit.join(genericConfig)

	kubeAPIs, resolver, pluginInitializers, err := app.CreateKubeAPIServerConfig(opts, genericConfig, informers, storageFactory)
	if err != nil {
		return nil, fmt.Errorf("configure the native APIs: %w", err)
	}
	if err := imagePolicyFailed(); err != nil {
		return nil, fmt.Errorf("lead ImagePolicyWebhook by the router: %w", err)
	}
	apitrace.Chain(o.Trace, kubeAPIs.ControlPlane.Generic)
	if feature != nil {
		if err := feature.Serve(kubeAPIs, storageFactory); err != nil {
			return nil, err
		}
		kubeAPIs.ControlPlane.Generic.AdmissionControl = feature.Admission(kubeAPIs.ControlPlane.Generic.AdmissionControl)
	}
	if err := retired.Serve(kubeAPIs.ControlPlane.Generic, slices.Concat(opts.Admission.GenericAdmission.EnablePlugins, opts.Admission.PluginNames)); err != nil {
		return nil, fmt.Errorf("configure the retired plugins: %w", err)
	}
	generic, control := kubeAPIs.ControlPlane.Generic, &kubeAPIs.ControlPlane
	extensions, err := controlplaneapiserver.CreateAPIExtensionsConfig(*generic, control.VersionedInformers, pluginInitializers,
		opts.CompletedOptions, opts.MasterCount, resolver,
		webhook.NewDefaultAuthenticationInfoResolverWrapper(control.ProxyTransport, generic.EgressSelector,
			generic.LoopbackClientConfig, generic.TracerProvider))
	if err != nil {
		return nil, fmt.Errorf("configure CustomResourceDefinitions: %w", err)
	}
	aggregator, err := controlplaneapiserver.CreateAggregatorConfig(*generic, opts.CompletedOptions,
		control.VersionedInformers, resolver, control.ProxyTransport, control.Extra.PeerProxy, pluginInitializers)
	if err != nil {
		return nil, fmt.Errorf("configure the aggregator: %w", err)
	}
	apitrace.Front(o.Trace, &aggregator.GenericConfig.Config)
	if feature != nil {
		// Behind the trace's own front, so that a wait is part of the handler's time.
		front := &aggregator.GenericConfig.Config
		build := front.BuildHandlerChainFunc
		front.BuildHandlerChainFunc = func(api http.Handler, c *genericapiserver.Config) http.Handler {
			return build(feature.Handler(api, c.Serializer), c)
		}
		for _, g := range []*genericregistry.RESTOptionsGetter{
			&generic.RESTOptionsGetter, &extensions.GenericConfig.RESTOptionsGetter, &extensions.ExtraConfig.CRDRESTOptionsGetter, &aggregator.GenericConfig.RESTOptionsGetter,
		} {
			*g = feature.Wrap(*g)
		}
	}
	describe(&extensions.GenericConfig.Config, extensionsDefinitions)
	describe(&aggregator.GenericConfig.Config, aggregatorDefinitions)
	// After the others have taken their copies: see lazyOpenAPI.
	generic.SkipOpenAPIInstallation = true
	return &Config{initializers: feature, self: self, trace: o.Trace, groups: o.Groups, storage: storageFactory, upstream: &app.Config{
		Options:       opts,
		Aggregator:    aggregator,
		KubeAPIs:      kubeAPIs,
		ApiExtensions: extensions,
	}}, nil
}

// complete parses the flags and applies them, as the upstream command's RunE does.
func (o *Options) complete(ctx context.Context) (options.CompletedOptions, *initializers.Feature, error) {
	args := o.Args()
	apitrace.Flags(o.Trace, args[:len(args)-len(o.ExtraArgs)], o.ExtraArgs)
	s, feature, err := o.parse(args)
	if err != nil {
		return options.CompletedOptions{}, nil, err
	}
	admission := s.Admission.GenericAdmission
	admission.Decorators = apitrace.Plugins(o.Trace, admission.Decorators)

	registry := s.GenericServerRunOptions.ComponentGlobalsRegistry
	if err := registry.Set(); err != nil {
		return options.CompletedOptions{}, nil, fmt.Errorf("set feature gates: %w", err)
	}
	if err := logsapi.ValidateAndApply(s.Logs, nil); err != nil {
		return options.CompletedOptions{}, nil, fmt.Errorf("apply logging options: %w", err)
	}
	opts, err := validated(ctx, s)
	return opts, feature, err
}

// parse has upstream read the flags; it returns the initializers if they are switched on.
func (o *Options) parse(args []string) (*options.ServerRunOptions, *initializers.Feature, error) {
	if o.Listener == nil || o.Egress == nil {
		return nil, nil, errors.New("apiserver: a listener and an egress router are needed")
	}
	s := options.NewServerRunOptions()
	fs := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, f := range s.Flags().FlagSets {
		fs.AddFlagSet(f)
	}
	if o.InTabNodes != nil {
		warnOfSCTP(s.Admission.GenericAdmission, o.InTabNodes)
		warnOfIngresses(s.Admission.GenericAdmission, o.InTabNodes, o.IngressController)
		warnOfSecurityContexts(s.Admission.GenericAdmission, o.InTabNodes)
	}
	feature := registerOurs(s.Admission.GenericAdmission, o.Usage, o.Trace)
	if err := fs.Parse(args); err != nil {
		return nil, nil, fmt.Errorf("parse kube-apiserver flags: %w", err)
	}
	s.SecureServing.Listener = o.Listener
	if !feature.On(s.Admission.PluginNames) {
		feature = nil
	}
	return s, feature, nil
}

// validated has upstream complete and validate what was parsed.
func validated(ctx context.Context, s *options.ServerRunOptions) (options.CompletedOptions, error) {
	opts, err := s.Complete(ctx)
	if err != nil {
		return options.CompletedOptions{}, fmt.Errorf("complete kube-apiserver options: %w", err)
	}
	if errs := opts.Validate(); len(errs) != 0 {
		return options.CompletedOptions{}, fmt.Errorf("validate kube-apiserver options: %w", utilerrors.NewAggregate(errs))
	}
	return opts, nil
}

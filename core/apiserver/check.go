package apiserver

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/kubernetes/pkg/auth/authorizer/abac"
)

// Check says what kube-apiserver would refuse of the options at its start, by upstream's own loaders and validators:
// of the flags, and of each file that they name. Nil means that it would start. Nothing is applied, so that a server
// which runs in this process is not disturbed.
func (o *Options) Check(ctx context.Context) error {
	s, _, err := o.parse(o.Args())
	if err != nil {
		return err
	}
	opts, err := validated(ctx, s)
	if err != nil {
		return err
	}
	var errs []error
	failed := func(what string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	authn, err := opts.Authentication.ToAuthenticationConfig()
	failed("AuthenticationConfiguration", err)
	if path := authn.TokenAuthFile; path != "" {
		_, err := tokenfile.NewCSV(path)
		failed("static token file", err)
	}
	if path := authn.WebhookTokenAuthnConfigFile; path != "" {
		_, err := webhook.LoadKubeconfig(path, nil)
		failed("kubeconfig of the authentication webhook", err)
	}
	if o.BasicAuthFile != "" {
		_, err := readPasswords(o.BasicAuthFile)
		failed("basic authentication", err)
	}
	authz, err := opts.Authorization.ToAuthorizationConfig(nil)
	failed("AuthorizationConfiguration", err)
	if err == nil {
		for _, a := range authz.AuthorizationConfiguration.Authorizers {
			switch {
			case a.Webhook != nil && a.Webhook.ConnectionInfo.KubeConfigFile != nil:
				_, err := webhook.LoadKubeconfig(*a.Webhook.ConnectionInfo.KubeConfigFile, nil)
				failed(fmt.Sprintf("kubeconfig of the authorizer %q", a.Name), err)
			case string(a.Type) == "ABAC" && opts.Authorization.PolicyFile == "":
				failed("AuthorizationConfiguration", errors.New("an authorizer of type ABAC needs a file of policies"))
			}
		}
	}
	if path := opts.Authorization.PolicyFile; path != "" {
		_, err := abac.NewFromFile(path)
		failed("ABAC policies", err)
	}
	if path := opts.Audit.PolicyFile; path != "" {
		_, err := policy.LoadPolicyFromFile(path)
		failed("audit Policy", err)
	}
	if path := opts.Etcd.EncryptionProviderConfigFilepath; path != "" {
		trying, done := context.WithCancel(ctx)
		_, err := encryptionconfig.LoadEncryptionConfig(trying, path, true, "check")
		done()
		failed("EncryptionConfiguration", err)
	}
	if path := opts.Admission.GenericAdmission.ConfigFile; path != "" {
		b, err := os.ReadFile(path)
		failed("AdmissionConfiguration", err)
		if err == nil {
			err = CheckAdmission(b)
			if err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

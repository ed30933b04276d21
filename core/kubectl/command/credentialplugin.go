package command

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/pkg/apis/clientauthentication"
	"k8s.io/client-go/pkg/apis/clientauthentication/install"
	authv1 "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	authv1beta1 "k8s.io/client-go/pkg/apis/clientauthentication/v1beta1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// execCredentials reads and writes what a credential plugin and its client say to each other.
var execCredentials = func() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return serializer.NewCodecFactory(scheme)
}()

const (
	// execInfo is the variable in which a plugin finds what it is asked for.
	execInfo = "KUBERNETES_EXEC_INFO"
	// maxCredential is how many bytes of a plugin are read.
	maxCredential = 1 << 20
	// maxPlugins is how many plugins may stand in each other: one whose kubectl asks itself never ends.
	maxPlugins = 4
)

// ask runs the program; pl.mu is held.
func (pl *plugin) ask() (*credential, error) {
	version, ok := map[string]schema.GroupVersion{
		authv1.SchemeGroupVersion.String(): authv1.SchemeGroupVersion, authv1beta1.SchemeGroupVersion.String(): authv1beta1.SchemeGroupVersion,
	}[pl.config.APIVersion]
	if !ok {
		return nil, fmt.Errorf("exec plugin: invalid apiVersion %q", pl.config.APIVersion)
	}
	interactive, err := pl.interactive()
	if err != nil {
		return nil, fmt.Errorf("exec plugin cannot support interactive mode: %w", err)
	}
	said := &clientauthentication.ExecCredential{Spec: clientauthentication.ExecCredentialSpec{Interactive: interactive, Cluster: pl.cluster}}
	info, err := runtime.Encode(execCredentials.LegacyCodec(version), said)
	if err != nil {
		return nil, fmt.Errorf("encode ExecCredentials: %w", err)
	}
	ctx, tell := pl.t.credentials(pl.ctx, pl.config)
	got, err := pl.given(ctx, interactive, string(info), version, said)
	tell(got, err)
	if err != nil {
		return nil, err
	}
	pl.held = got
	return got, nil
}

// given runs the program, and reads what it says.
func (pl *plugin) given(ctx context.Context, interactive bool, info string, version schema.GroupVersion, said *clientauthentication.ExecCredential) (*credential, error) {
	output, err := pl.run(ctx, interactive, info)
	if err != nil {
		return nil, err
	}
	_, kind, err := execCredentials.UniversalDecoder(version).Decode(output, nil, said)
	if err != nil {
		return nil, fmt.Errorf("decoding stdout: %w", undecoded{err})
	}
	if kind.GroupVersion() != version {
		return nil, fmt.Errorf("exec plugin is configured to use API version %s, plugin returned version %s", version, kind.GroupVersion())
	}
	return read(said.Status)
}

// undecoded is why an output is no ExecCredential. It may quote the output, which may be a secret.
type undecoded struct{ error }

// read checks what a plugin gave as upstream does.
func read(status *clientauthentication.ExecCredentialStatus) (*credential, error) {
	switch {
	case status == nil:
		return nil, errors.New("exec plugin didn't return a status field")
	case status.Token == "" && status.ClientCertificateData == "" && status.ClientKeyData == "":
		return nil, errors.New("exec plugin didn't return a token or cert/key pair")
	case (status.ClientCertificateData == "") != (status.ClientKeyData == ""):
		return nil, errors.New("exec plugin returned only certificate or key, not both")
	}
	got := &credential{token: status.Token, cert: []byte(status.ClientCertificateData), key: []byte(status.ClientKeyData)}
	if status.ExpirationTimestamp != nil {
		got.expires = status.ExpirationTimestamp.Time
	}
	if len(got.cert) > 0 {
		if _, err := tls.X509KeyPair(got.cert, got.key); err != nil {
			return nil, fmt.Errorf("failed parsing client key/certificate: %w", err)
		}
	}
	return got, nil
}

// interactive tells whether the program may ask who sits at the terminal.
func (pl *plugin) interactive() (bool, error) {
	terminal := pl.p.Terminal != nil
	switch pl.config.InteractiveMode {
	case clientcmdapi.NeverExecInteractiveMode:
		return false, nil
	case clientcmdapi.IfAvailableExecInteractiveMode:
		return terminal && !pl.typed, nil
	case clientcmdapi.AlwaysExecInteractiveMode:
		switch {
		case !terminal:
			return false, errors.New("standard input is not a terminal")
		case pl.typed:
			return false, errors.New("standard input is unavailable: used by stdin resource manifest reader")
		}
		return true, nil
	}
	return false, fmt.Errorf("unknown interactiveMode: %q", pl.config.InteractiveMode)
}

type pluginDepth struct{}

// run runs the program with what it is told, and gives what it printed.
func (pl *plugin) run(ctx context.Context, interactive bool, info string) ([]byte, error) {
	depth, _ := pl.ctx.Value(pluginDepth{}).(int)
	if depth == maxPlugins {
		return nil, fmt.Errorf("exec: %s asks for credentials that it gives itself", pl.config.Command)
	}
	name := pl.config.Command
	run, args, found := startable(pl.p, name, pl.config.Args)
	if !found {
		return nil, pl.notFound()
	}
	child := pl.p.Child(args...)
	child.Env = slices.Clone(pl.p.Env)
	for _, variable := range pl.config.Env {
		child.Env = append(child.Env, variable.Name+"="+variable.Value)
	}
	child.Env = append(child.Env, execInfo+"="+info)
	output := &credentialOutput{}
	child.Stdout, child.Signals = output, nil
	if !interactive {
		child.Stdin, child.Terminal, child.Console = strings.NewReader(""), nil, nil
	}
	code := start(context.WithValue(ctx, pluginDepth{}, depth+1), run, pl.p, child)
	switch {
	case pl.ctx.Err() != nil:
		return nil, context.Cause(pl.ctx)
	case code == notFound:
		return nil, pl.notFound()
	case code != 0:
		return nil, fmt.Errorf("exec: executable %s failed with exit code %d", name, code)
	case output.full:
		return nil, fmt.Errorf("exec: executable %s printed more than %d bytes", name, maxCredential)
	}
	return output.kept.Bytes(), nil
}

// notFound is a shell's exit code for a program that is not there.
const notFound = 127

func (pl *plugin) notFound() error {
	text := fmt.Sprintf("exec: executable %s not found\n\nA credential plugin is a program of this terminal here, or an executable script in its files", pl.config.Command)
	if pl.config.InstallHint != "" {
		text += "\n\n" + pl.config.InstallHint
	}
	return errors.New(text)
}

// credentialOutput keeps what a plugin prints, within bounds.
type credentialOutput struct {
	mu   sync.Mutex
	kept bytes.Buffer
	full bool
}

var _ io.Writer = (*credentialOutput)(nil)

// Write implements io.Writer.
func (o *credentialOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept.Len()+len(p) > maxCredential {
		o.full = true
		return len(p), nil
	}
	return o.kept.Write(p)
}

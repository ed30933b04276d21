package kubeconfig

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/nodehost/hub"
	"github.com/tabernetes/tabernetes/nodehost/hubtls"
)

// Options of `nodehost kubeconfig`.
type Options struct {
	// Hub is the hub's URL, Secret its pairing secret.
	Hub, Secret string
	// CertHash is the pin of the hub's certificate (nodehost/hubtls); empty trusts what the system trusts.
	CertHash string
	// Client asks the hub; nil is one for Hub and CertHash. The hub of this machine is asked on its socket
	// (pairing.State.Client), where nobody else can answer.
	Client *http.Client
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
	// Out gets what a person should read, In is where the answer is read from.
	Out io.Writer
	In  io.Reader
}

// Run asks, waits for the owner and writes the kubeconfig. The hub is not believed: what it could
// have put in the place of the cluster's words is in the code, which the owner compares.
func Run(ctx context.Context, o Options) error {
	asker, err := access.NewAsker(o.User)
	if err != nil {
		return err
	}
	var offer access.Offer
	at, err := o.ask(ctx, o.Cluster, asker.Request(), &offer)
	if err != nil {
		return err
	}
	reveal, code, err := asker.Take(offer)
	if err != nil {
		return err
	}
	name, err := o.name(offer)
	if err != nil {
		return err
	}
	address, serverName, err := o.address(at, offer)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Asking the owner of the cluster to agree. The page has to show the code %s. If it shows another one, refuse: somebody is in between.\n", code)
	var answer access.Answer
	if _, err := o.ask(ctx, name, reveal, &answer); err != nil {
		return err
	}
	cert, key, err := asker.Finish(answer)
	if err != nil {
		return err
	}
	// That an answer came does not say that the owner agreed: it may be the hub's own.
	if err := o.confirm(ctx, code); err != nil {
		return err
	}
	entry, err := o.merge(entry{name, address, serverName, []byte(offer.CA), cert, key})
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Context %q is in the kubeconfig: kubectl --context=%s get nodes\n", entry, entry)
	return nil
}

// name is the cluster's, as it says itself.
func (o *Options) name(offer access.Offer) (string, error) {
	name, err := offer.Name()
	if err != nil {
		return "", err
	}
	if o.Cluster != "" && name != o.Cluster {
		return "", fmt.Errorf("no access: cluster %q was asked for, and the hub leads to one called %q", o.Cluster, name)
	}
	return name, nil
}

// confirm asks whoever sits here whether both sides showed one code: only a person sees both.
func (o *Options) confirm(ctx context.Context, code string) error {
	fmt.Fprintf(o.Out, "Did the page (or the log of a cluster without one) show %s? Type yes: ", code)
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(io.LimitReader(o.In, maxLine)).ReadString('\n')
		said <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case got := <-said:
		if got == "yes" || got == "y" {
			return nil
		}
		return errors.New("nobody said that the page showed the code: nothing was written; if it showed another one, somebody is in between")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// maxLine is the size of what is typed, in bytes.
const maxLine = 1 << 10

// maxAnswer is the size of the hub's answer in bytes.
const maxAnswer = 128 << 10

// ask has the hub pass a request on to a cluster.
func (o *Options) ask(ctx context.Context, cluster string, r access.Request, into any) (at hub.Cluster, err error) {
	body, err := json.Marshal(map[string]any{"cluster": cluster, "question": r})
	if err != nil {
		return at, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(o.Hub, "/")+"/hub/v1/access", bytes.NewReader(body))
	if err != nil {
		return at, fmt.Errorf("ask the hub: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+o.Secret)
	client := o.Client
	if client == nil {
		if client, err = hubtls.HTTP(o.Hub, o.CertHash); err != nil {
			return at, err
		}
	}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return at, fmt.Errorf("ask the hub: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return at, fmt.Errorf("ask the hub: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return at, fmt.Errorf("no access: %s", strings.TrimSpace(string(text)))
	}
	got := struct {
		Cluster *hub.Cluster `json:"cluster"`
		Answer  any          `json:"answer"`
	}{&at, into}
	if err := json.Unmarshal(text, &got); err != nil {
		return at, fmt.Errorf("read the hub's answer: %w", err)
	}
	return at, nil
}

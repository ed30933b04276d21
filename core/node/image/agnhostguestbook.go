package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// Bounds of what one guestbook keeps for whoever asks it: bytes of keys and values, and replicas, which it tells each change.
const (
	maxGuestbookStore    = 1 << 20
	maxGuestbookReplicas = 64
)

// How long a replica looks for its primary, and how long it waits between two tries (upstream's timeout and sleep).
const (
	guestbookRegisters = 15 * time.Second
	guestbookAgain     = time.Second
)

// agnhostGuestbook is the command guestbook (upstream's test/images/agnhost/README.md): a front end, a primary or one of its
// replicas, by its flags and by whom it is asked. Upstream's keeps all this in variables of the process; here each container
// has its own.
type agnhostGuestbook struct {
	net     program.Network
	log     *log.Logger
	backend string // port of the primary and of replicas

	mu       sync.Mutex
	store    map[string]string
	replicas []string
}

func agnhostGuestbookMain(ctx context.Context, p *program.Process) int {
	flags := pflag.NewFlagSet("guestbook", pflag.ContinueOnError)
	flags.SetOutput(p.Stderr)
	httpPort := flags.Uint16("http-port", 80, "HTTP Listen Port")
	backend := flags.Uint16("backend-port", 6379, "Backend's HTTP Listen Port")
	replicaOf := flags.String("replicaof", "", "The host's name to register to")
	if err := flags.Parse(p.Args[2:]); err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	g := &agnhostGuestbook{
		net: p.Net, log: log.New(p.Stderr, "", log.LstdFlags),
		backend: strconv.Itoa(int(*backend)), store: map[string]string{},
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	if *replicaOf != "" {
		go func() {
			if err := g.register(ctx, *replicaOf); err != nil {
				fail(err)
			}
		}()
	}
	code := serveHTTP(ctx, p, int(*httpPort), g.handler())
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		g.log.Print(err)
		return 1
	}
	return code
}

func (g *agnhostGuestbook) handler() http.Handler {
	mux := http.NewServeMux()
	for path, answer := range map[string]func(context.Context, url.Values) (any, int, error){
		"/register": g.registered, "/get": g.get, "/set": g.set, "/guestbook": g.proxied,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			g.log.Printf("GET %s", r.URL.RequestURI())
			said, code, err := answer(r.Context(), r.URL.Query())
			if err != nil {
				http.Error(w, err.Error(), code)
				return
			}
			text, proxied := said.(string)
			if !proxied {
				b, err := json.Marshal(said)
				if err != nil {
					http.Error(w, "response could not be serialized. "+err.Error(), http.StatusExpectationFailed)
					return
				}
				text = string(b)
			}
			fmt.Fprint(w, text)
		})
	}
	return mux
}

// register has the primary tell this replica of what changes, and takes what it has.
func (g *agnhostGuestbook) register(ctx context.Context, primary string) error {
	at := net.JoinHostPort(primary, g.backend)
	var mine string
	if ips := g.net.IPs(); len(ips) > 0 {
		mine = ips[0].String()
	}
	for deadline := time.Now().Add(guestbookRegisters); time.Now().Before(deadline); {
		g.log.Printf("Registering to primary: %s", at)
		answer, err := ask(ctx, g.net, "http://"+at+"/register?"+url.Values{"host": {mine}}.Encode())
		if err == nil {
			var whole struct{ Data map[string]string }
			if err = json.Unmarshal([]byte(answer), &whole); err == nil {
				g.mu.Lock()
				defer g.mu.Unlock()
				if whole.Data != nil {
					g.store = whole.Data
				}
				g.log.Printf("Registered to node: %s", primary)
				return nil
			}
		}
		g.log.Printf("encountered error while registering to primary: %v. Retrying in %s.", err, guestbookAgain)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(guestbookAgain):
		}
	}
	return errors.New("timed out while registering to primary")
}

// registered is /register.
func (g *agnhostGuestbook) registered(_ context.Context, q url.Values) (any, int, error) {
	host := q.Get("host")
	if net.ParseIP(host) == nil {
		return nil, http.StatusBadRequest, fmt.Errorf("%.64q is no address", host)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.replicas) >= maxGuestbookReplicas {
		return nil, http.StatusTooManyRequests, fmt.Errorf("there are %d replicas", len(g.replicas))
	}
	g.replicas = append(g.replicas, host)
	g.log.Printf("Node '%s' registered.", host)
	return map[string]any{"data": maps.Clone(g.store)}, 0, nil
}

// get is /get: the value of a key, or without one all there is.
func (g *agnhostGuestbook) get(_ context.Context, q url.Values) (any, int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if key := q.Get("key"); key != "" {
		return map[string]string{"data": g.store[key]}, 0, nil
	}
	return map[string]any{"data": maps.Clone(g.store)}, 0, nil
}

// set is /set: it is kept here, and then told to each replica.
func (g *agnhostGuestbook) set(ctx context.Context, q url.Values) (any, int, error) {
	key, value := q.Get("key"), q.Get("value")
	if key == "" {
		return nil, http.StatusBadRequest, errors.New("cannot set with empty key.")
	}
	g.mu.Lock()
	held := len(key) + len(value)
	for k, v := range g.store {
		if k != key {
			held += len(k) + len(v)
		}
	}
	if held > maxGuestbookStore {
		g.mu.Unlock()
		return nil, http.StatusInsufficientStorage, fmt.Errorf("a guestbook keeps %d bytes", maxGuestbookStore)
	}
	g.store[key] = value
	replicas := g.replicas // appended to only
	g.mu.Unlock()
	for _, replica := range replicas {
		to := "http://" + net.JoinHostPort(replica, g.backend) + "/set?" + url.Values{"key": {key}, "value": {value}}.Encode()
		if _, err := ask(ctx, g.net, to); err != nil {
			return nil, http.StatusExpectationFailed, fmt.Errorf("encountered error while propagating to replica '%s': %w", replica, err)
		}
	}
	return map[string]string{"message": "Updated"}, 0, nil
}

// proxied is /guestbook: what is set goes to the primary, what is read comes from a replica.
func (g *agnhostGuestbook) proxied(ctx context.Context, q url.Values) (any, int, error) {
	cmd, key := strings.ToLower(q.Get("cmd")), q.Get("key")
	host := "agnhost-replica"
	switch {
	case cmd != "get" && cmd != "set":
		return nil, http.StatusBadRequest, fmt.Errorf("unsupported cmd: '%.64s'", cmd)
	case cmd == "set" && key == "":
		return nil, http.StatusBadRequest, errors.New("cannot set with empty key.")
	case cmd == "set":
		host = "agnhost-primary"
	}
	to := "http://" + net.JoinHostPort(host, g.backend) + "/" + cmd + "?" + url.Values{"key": {key}, "value": {q.Get("value")}}.Encode()
	answer, err := ask(ctx, g.net, to)
	if err != nil {
		return nil, http.StatusExpectationFailed, fmt.Errorf("encountered error: %w", err)
	}
	return answer, 0, nil
}

package image

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// guestbookFrontEnd is the page of the guestbook tutorial: what visitors write goes to the leader, what they
// read comes from a follower.
func guestbookFrontEnd(tools map[string]program.Program) Image {
	files := base(debianRelease)
	files["/var/www/html/index.html"] = Text(guestbookPage)
	return userland(Image{
		Names: []string{
			"us-docker.pkg.dev/google-samples/containers/gke/gb-frontend", "gcr.io/google_samples/gb-frontend",
			"gcr.io/google-samples/gb-frontend",
		},
		Tags:         Tags{Words: []string{"latest", "v1", "v2", "v3", "v4", "v5", "v6"}},
		Cmd:          []string{"apache2-foreground"},
		Env:          []string{defaultPath},
		WorkingDir:   "/var/www/html",
		ExposedPorts: []string{"80/tcp"},
		Files:        files,
		Programs:     map[string]program.Program{"/usr/local/bin/apache2-foreground": guestbookMain},
	}, "/bin/busybox", withBash(tools))
}

// guestbookPage is our own; it asks what the tutorial's page asks.
const guestbookPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Guestbook</title></head>
<body>
<h1>Guestbook</h1>
<form><input name="message" aria-label="Message" placeholder="Message" required><button>Submit</button></form>
<ul></ul>
<script>
const list = document.querySelector("ul");
const field = document.querySelector("input");
let messages = [];
function show(text) {
  messages = text.split(",").filter((one) => one);
  list.replaceChildren(...messages.map((one) => Object.assign(document.createElement("li"), {textContent: one})));
}
async function ask(query) {
  const answer = await fetch("guestbook.php?" + new URLSearchParams({key: "messages", ...query}));
  return answer.json();
}
document.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  messages.push(field.value);
  field.value = "";
  await ask({cmd: "set", value: messages.join(",")});
  show(messages.join(","));
});
ask({cmd: "get"}).then(({data}) => show(data ?? ""));
</script>
</body>
</html>
`

const (
	guestbookWait = 5 * time.Second
	maxGuestbook  = 1 << 20 // bytes of what is kept under a key
)

func guestbookMain(ctx context.Context, p *program.Process) int {
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	mux := http.NewServeMux()
	mux.HandleFunc("/guestbook.php", func(w http.ResponseWriter, r *http.Request) { guestbookAsk(w, r, p) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && r.URL.Path != "/index.html" {
			http.NotFound(w, r)
			return
		}
		page, err := p.FS.ReadFile("/var/www/html/index.html")
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	fmt.Fprintln(p.Stderr, "AH00094: Command line: 'apache2 -D FOREGROUND'")
	return serveHTTP(ctx, p, 80, logged(p.Stdout, mux))
}

// guestbookAsk writes a key to the leader, or reads it from a follower.
func guestbookAsk(w http.ResponseWriter, r *http.Request, p *program.Process) {
	q := r.URL.Query()
	key := q.Get("key")
	w.Header().Set("Content-Type", "application/json")
	say := func(v any) { _ = json.NewEncoder(w).Encode(v) } // to who has asked: he may have gone
	ctx, cancel := context.WithTimeout(r.Context(), guestbookWait)
	defer cancel()
	var err error
	var data string
	if q.Get("cmd") == "set" {
		if _, err = redisAsk(ctx, p, []string{"leader", "master"}, "SET", key, q.Get("value")); err == nil {
			say(map[string]string{"message": "Updated"})
			return
		}
	} else if data, err = redisAsk(ctx, p, []string{"follower", "slave", "replica"}, "GET", key); err == nil {
		say(map[string]string{"data": data})
		return
	}
	fmt.Fprintln(p.Stderr, "guestbook:", err)
	w.WriteHeader(http.StatusInternalServerError)
	say(map[string]string{"error": err.Error()})
}

// redisAsk asks the first server of roles that there is, under the tutorial's names: redis-leader.
func redisAsk(ctx context.Context, p *program.Process, roles []string, args ...string) (string, error) {
	var all error
	for _, role := range roles {
		host := "redis-" + role
		if p.Getenv("GET_HOSTS_FROM") == "env" {
			if host = p.Getenv("REDIS_" + strings.ToUpper(role) + "_SERVICE_HOST"); host == "" {
				continue
			}
		}
		conn, err := p.Net.Dial(ctx, "tcp", net.JoinHostPort(host, "6379"))
		if err != nil {
			all = errors.Join(all, fmt.Errorf("reach %s: %w", host, err))
			continue
		}
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		return redisTalk(conn, args)
	}
	if all == nil {
		all = fmt.Errorf("there is no redis-%s", roles[0])
	}
	return "", all
}

// redisTalk sends one command, and reads an answer that is a text.
func redisTalk(conn io.ReadWriter, args []string) (string, error) {
	wire := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		wire = fmt.Appendf(wire, "$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := conn.Write(wire); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	head, err := r.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	line := strings.TrimRight(string(head), "\r\n")
	if strings.HasPrefix(line, "+") {
		return line[1:], nil
	}
	size, err := strconv.Atoi(strings.TrimPrefix(line, "$"))
	if err != nil || !strings.HasPrefix(line, "$") || size > maxGuestbook {
		return "", fmt.Errorf("the database answers %.128q", line)
	}
	data := make([]byte, max(size, 0))
	_, err = io.ReadFull(r, data)
	return string(data), err
}

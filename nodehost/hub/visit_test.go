package hub

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"
)

// serveVisit is a Service that says what it was asked, with cookies that it would like a browser to have.
func serveVisit(target string, conn net.Conn) {
	defer conn.Close()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	if req.Header.Get("Upgrade") == "websocket" {
		w := &hijacked{conn: conn}
		up := gorilla.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
		ws, err := up.Upgrade(w, req, nil)
		if err != nil {
			return
		}
		_, message, _ := ws.ReadMessage()
		_ = ws.WriteMessage(gorilla.TextMessage, append([]byte(target+" heard "), message...))
		return
	}
	body, _ := io.ReadAll(req.Body)
	text := fmt.Sprintf("%s %s %s%s cookies %q said %q", target, req.Method, req.Host, req.URL, req.Header.Get("Cookie"), body)
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nSet-Cookie: own=1\r\nSet-Cookie: tabernetes-visit=mine; Domain=default.localhost\r\nAlt-Svc: h2=\"evil.example:443\"\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(text), text)
}

// hijacked is a response that is a connection.
type hijacked struct {
	conn net.Conn
	http.ResponseWriter
}

func (h *hijacked) Header() http.Header { return http.Header{} }
func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(h.conn), bufio.NewWriter(h.conn)), nil
}

// asked is a request with a host of its own: its status, header and body.
func (r *rig) asked(method, host, path string, headers ...string) (int, http.Header, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.page+path, strings.NewReader("body"))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Host = host
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

// ticket asks for one as the page does.
func (r *rig) ticket(question string, headers ...string) (code int, host, path string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, "http://"+r.page+"/hub/v1/visit", strings.NewReader(question))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var said struct{ URL, Host string }
	_ = json.NewDecoder(resp.Body).Decode(&said)
	return resp.StatusCode, said.Host, strings.TrimPrefix(said.URL, "http://"+said.Host)
}

// entered opens a Service, and gives its host and the cookie that a browser has then.
func (r *rig) entered(question string) (host, cookie string) {
	r.t.Helper()
	code, host, path := r.ticket(question)
	if code != http.StatusOK {
		r.t.Fatalf("a ticket for %s: %d", question, code)
	}
	status, header, body := r.asked("GET", host, path, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
	set := header.Get("Set-Cookie")
	if status != http.StatusOK || !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") || strings.Contains(set, "Domain") {
		r.t.Fatalf("entering: %d %q %s", status, set, body)
	}
	cookie, _, _ = strings.Cut(set, ";")
	return host, cookie
}

func visiting(t *testing.T, change func(*Options)) *rig {
	r := newRig(t, func(o *Options) {
		o.Visits = true
		if change != nil {
			change(o)
		}
	})
	r.attachCluster("tab", "instance-one-0123456789").welcome(t)
	r.awaitAttached(1)
	return r
}

// awaitAttached waits until so many clusters are: one is welcomed a moment before.
func (r *rig) awaitAttached(count int) {
	r.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		attached := 0
		for _, c := range r.Clusters() {
			if c.Attached {
				attached++
			}
		}
		if attached == count {
			return
		}
	}
	r.t.Fatalf("%d clusters are to be attached: %+v", count, r.Clusters())
}

const webOfDefault = `{"name":"web","namespace":"default","port":8080,"path":"/a?b=%2F","cluster":"tab"}`

// TestVisits: who was let in reaches the Service at its own address, with its own cookies, host, forms and WebSockets.
func TestVisits(t *testing.T) {
	r := visiting(t, nil)
	_, _, port := "", "", r.page[strings.LastIndex(r.page, ":"):]
	code, host, path := r.ticket(webOfDefault)
	if code != http.StatusOK || host != "8080.web.default.localhost"+port {
		t.Fatalf("%d %s", code, host)
	}
	if _, _, body := r.asked("GET", host, path); !strings.Contains(body, `content="0; url=/a?b=%2F"`) {
		t.Errorf("it leads on to %s", body)
	}
	host, cookie := r.entered(webOfDefault)
	status, header, body := r.asked("POST", host, "/form?x=1", "Cookie", "own=1; "+cookie+"; two=2", "Origin", "http://"+host, "Sec-Fetch-Site", "same-origin")
	if want := fmt.Sprintf("web.default:8080 POST %s/form?x=1 cookies %q said %q", host, "own=1; two=2", "body"); status != 200 || body != want {
		t.Errorf("%d %s, want %s", status, body, want)
	}
	if got := header.Values("Set-Cookie"); len(got) != 1 || got[0] != "own=1" {
		t.Errorf("cookies %q", got)
	}
	if header.Get("Alt-Svc") != "" || header.Get("Content-Security-Policy") != "frame-ancestors 'self'" {
		t.Errorf("header %v", header)
	}
	// Without a port it is the first; a form whose page tells nobody where it is says null.
	host, cookie = r.entered(`{"name":"web","namespace":"default","path":"/","cluster":"tab"}`)
	if _, _, body := r.asked("POST", host, "/", "Cookie", cookie, "Origin", "null", "Sec-Fetch-Site", "same-origin"); !strings.HasPrefix(body, "web.default:0 POST web.default.localhost"+port) {
		t.Error(body)
	}
	ws, _, err := websocket.Dial(t.Context(), "ws://"+r.page+"/ws", &websocket.DialOptions{Host: host, HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {"http://" + host}}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, said, err := ws.Read(t.Context()); err != nil || string(said) != "web.default:0 heard hello" {
		t.Errorf("%q, %v", said, err)
	}
}

// TestVisitsWithSeveralClusters: each has names of its own then.
func TestVisitsWithSeveralClusters(t *testing.T) {
	r := visiting(t, nil)
	r.attachCluster("other", "instance-two-0123456789").welcome(t)
	r.awaitAttached(2)
	if _, host, _ := r.ticket(webOfDefault); !strings.HasPrefix(host, "8080.web.default.tab.localhost:") {
		t.Error(host)
	}
	host, cookie := r.entered(strings.Replace(webOfDefault, `"tab"`, `"other"`, 1))
	if _, _, body := r.asked("GET", host, "/", "Cookie", cookie); !strings.HasPrefix(body, "web.default:8080 GET 8080.web.default.other.localhost") {
		t.Error(body)
	}
}

// TestNobodyElseVisits: whoever has no pass, or comes from another site, another name, another port or another machine,
// reaches no Service.
func TestNobodyElseVisits(t *testing.T) {
	r := visiting(t, nil)
	host, cookie := r.entered(webOfDefault)
	_, used, path := r.ticket(webOfDefault)
	r.asked("GET", used, path)
	port := r.page[strings.LastIndex(r.page, ":"):]
	for _, c := range []struct {
		name, method, host, path string
		headers                  []string
		status                   int
	}{
		{"without a pass", "GET", host, "/", nil, 401},
		{"with a pass of nobody's", "GET", host, "/", []string{"Cookie", passCookie + "=AAAA"}, 401},
		{"with another Service's pass", "GET", "8080.api.default.localhost" + port, "/", []string{"Cookie", cookie}, 401},
		{"with another port's pass", "GET", "web.default.localhost" + port, "/", []string{"Cookie", cookie}, 401},
		{"with a ticket that was used", "GET", used, path, nil, 403},
		{"with a ticket of nobody's", "GET", host, enterPath + "?ticket=x", nil, 403},
		{"a form of another site's", "POST", host, "/", []string{"Cookie", cookie, "Origin", "http://evil.example"}, 403},
		{"a form of another Service's", "POST", host, "/", []string{"Cookie", cookie, "Origin", "http://evil.default.localhost" + port, "Sec-Fetch-Site", "same-site"}, 403},
		{"a form of nobody's", "POST", host, "/", []string{"Cookie", cookie, "Origin", "null", "Sec-Fetch-Site", "cross-site"}, 403},
		{"a picture on another Service's page", "GET", host, "/", []string{"Cookie", cookie, "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, 403},
		{"a frame on another site's page", "GET", host, "/", []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"a WebSocket of another site's", "GET", host, "/", []string{"Cookie", cookie, "Origin", "http://evil.example", "Upgrade", "websocket", "Connection", "Upgrade"}, 403},
		{"another port", "GET", "8080.web.default.localhost:1", "/", []string{"Cookie", cookie}, 421},
		{"no port", "GET", "8080.web.default.localhost", "/", []string{"Cookie", cookie}, 421},
		{"one label", "GET", "web.localhost" + port, "/", []string{"Cookie", cookie}, 404},
		{"five labels", "GET", "8080.web.default.tab.more.localhost" + port, "/", []string{"Cookie", cookie}, 404},
		{"no labels", "GET", "we_b.default.localhost" + port, "/", []string{"Cookie", cookie}, 404},
		// Another name that leads to this machine is no Service's: it gets the page, which anybody may have.
		{"a name that was bent to here", "GET", "8080.web.default.localhost.evil.example" + port, "/", []string{"Cookie", cookie}, 200},
		{"and not the hub", "GET", "evil.example" + port, "/hub/v1/clusters", []string{"Authorization", "Bearer " + secret}, 403},
		{"a Service's page at the hub", "GET", r.page, "/hub/v1/clusters", []string{"Authorization", "Bearer " + secret, "Origin", "http://" + host}, 403},
	} {
		status, _, body := r.asked(c.method, c.host, c.path, c.headers...)
		if status != c.status || strings.Contains(body, "web.default:8080") {
			t.Errorf("%s: %d %s, want %d", c.name, status, body, c.status)
		}
	}
	// Its own page still may.
	if status, _, _ := r.asked("GET", host, "/", "Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"); status != 200 {
		t.Errorf("going there from elsewhere: %d", status)
	}
	// Nor is it kept out by what another Service's page has set for its whole namespace.
	_, others := r.entered(strings.Replace(webOfDefault, "web", "api", 1))
	for _, more := range []string{passCookie + "=x", others, passCookie + "="} {
		for _, cookies := range []string{cookie + "; " + more, more + "; " + cookie} {
			if status, _, body := r.asked("GET", host, "/", "Cookie", cookies); status != 200 || !strings.Contains(body, `cookies ""`) {
				t.Errorf("with %q beside its pass: %d %s", more, status, body)
			}
		}
	}
	for _, question := range []string{
		"", "{}", `{"name":"web"}`, strings.Replace(webOfDefault, "/a?b=%2F", "//evil.example/", 1), strings.Replace(webOfDefault, "/a?b=%2F", "http://evil.example/", 1),
		strings.Replace(webOfDefault, "/a?b=%2F", `/\\evil.example`, 1), strings.Replace(webOfDefault, "web", "web.evil", 1), strings.Replace(webOfDefault, "8080", "99999", 1),
		strings.Replace(webOfDefault, `"tab"`, `"none"`, 1), `{"name":"` + strings.Repeat("x", maxVisitAsk) + `"}`,
	} {
		if code, host, _ := r.ticket(question); code == http.StatusOK {
			t.Errorf("a ticket is given for %.80s: %s", question, host)
		}
	}
	if code, _, _ := r.ticket(webOfDefault, "Authorization", "Bearer wrong-wrong-wrong-wrong"); code != http.StatusUnauthorized {
		t.Errorf("without the secret: %d", code)
	}
	if bytes.Contains(r.log.bytes(), []byte(strings.TrimPrefix(cookie, passCookie+"="))) {
		t.Error("a pass stands in the log")
	}
}

// TestAPassEndsWithItsCluster: another one under the same name is nobody that it was given for.
func TestAPassEndsWithItsCluster(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Visits = true })
	first := r.attachCluster("tab", "instance-one-0123456789")
	first.welcome(t)
	host, cookie := r.entered(webOfDefault)
	first.stop()
	r.awaitAttached(0)
	if status, header, body := r.asked("GET", host, "/", "Cookie", cookie); status != http.StatusBadGateway || header.Get("Refresh") == "" {
		t.Errorf("of a cluster that may come back, a page is to be asked for anew: %d %v %s", status, header, body)
	}
	r.clusters.mu.Lock()
	r.clusters.byName["tab"].since = r.clusters.byName["tab"].since.Add(-2 * nameKept)
	r.clusters.mu.Unlock()
	r.attachCluster("tab", "instance-two-0123456789").welcome(t)
	if status, _, body := r.asked("GET", host, "/", "Cookie", cookie); status != http.StatusUnauthorized {
		t.Errorf("%d %s", status, body)
	}
}

// TestNoVisits: a hub that is no loopback's leads nowhere, and gives no tickets; nor does one, to another machine.
func TestNoVisits(t *testing.T) {
	r := visiting(t, func(o *Options) { o.Visits = false })
	port := r.page[strings.LastIndex(r.page, ":"):]
	if status, _, _ := r.asked("GET", "web.default.localhost"+port, "/"); status != http.StatusForbidden {
		t.Errorf("a visit: %d", status)
	}
	if code, _, _ := r.ticket(webOfDefault); code != http.StatusNotFound {
		t.Errorf("a ticket: %d", code)
	}
	on := visiting(t, nil)
	for _, c := range []struct{ from, to string }{{"192.0.2.7:5000", "127.0.0.1:7080"}, {"127.0.0.1:5000", "192.0.2.1:7080"}, {"", ""}} {
		req, _ := http.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, text(c.to)), "GET", "http://web.default.localhost:7080/", nil)
		req.RemoteAddr = c.from
		w := &recorded{header: http.Header{}}
		on.ServeHTTP(w, req)
		if w.code != http.StatusForbidden {
			t.Errorf("from %q to %q: %d", c.from, c.to, w.code)
		}
	}
}

// text is an address that is what it says.
type text string

func (text) Network() string  { return "tcp" }
func (t text) String() string { return string(t) }

// recorded is the code of an answer.
type recorded struct {
	header http.Header
	code   int
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) Write(b []byte) (int, error) { return len(b), nil }
func (r *recorded) WriteHeader(code int)        { r.code = code }

// TestTicketsAreBounded: the oldest go.
func TestTicketsAreBounded(t *testing.T) {
	var v visits
	first := v.ticket(grant{host: "a"})
	for range maxTickets + 10 {
		v.ticket(grant{host: "a"})
	}
	if _, _, ok := v.redeem(first, "a"); ok || len(v.tickets) > maxTickets {
		t.Errorf("the first one is %v, there are %d", ok, len(v.tickets))
	}
	for range maxPasses + 10 {
		v.redeem(v.ticket(grant{host: "a"}), "a")
	}
	if len(v.passes) > maxPasses {
		t.Errorf("there are %d passes", len(v.passes))
	}
}

package podinfo

import (
	"html/template"
	"net/http"
	"strings"
)

// ui is our own, and asks what podinfo's page asks: what it is every three seconds, and an echo for each ping.
// Nothing is fetched from elsewhere.
var ui = template.Must(template.New("ui").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Host}}</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 12px;
  font: 16px/1.5 system-ui, sans-serif; color: #fff; background: {{.Color}}; }
h1 { margin: 0; font-size: 28px; font-weight: 600; text-align: center; overflow-wrap: anywhere; }
button { font: inherit; padding: 8px 24px; border: 0; border-radius: 4px; color: #fff; background: #b71c1c; cursor: pointer; }
img { max-width: 80vw; max-height: 40vh; }
p { margin: 0; text-align: center; overflow-wrap: anywhere; }
</style>
</head>
<body>
{{if .Logo}}<img src="{{.Logo}}" alt="">{{end}}
<h1>{{.Message}}</h1>
<p>Served by <b id="host">{{.Host}}</b></p>
<button type="button">Ping <span id="pings">0</span></button>
<p>podinfo version <span id="version">{{.Version}}</span></p>
<script>
const prefix = {{.Prefix}};
const put = (id, text) => { document.getElementById(id).textContent = text; };
async function look() {
  try {
    const info = await (await fetch(prefix + "/api/info")).json();
    put("host", info.hostname);
    put("version", info.version);
    document.querySelector("h1").textContent = info.message;
    document.body.style.background = info.color;
    document.title = info.hostname;
  } catch {
    // Asked again soon.
  }
}
setInterval(look, 3000);
let pings = 0;
document.querySelector("button").addEventListener("click", async () => {
  const answer = await fetch(prefix + "/api/echo", { method: "POST", body: JSON.stringify({ ping: pings }) });
  if (answer.ok) put("pings", String(++pings));
});
</script>
</body>
</html>
`))

func (s *server) page(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	prefix := "/" + strings.Trim(s.prefix, "/ ")
	_ = ui.Execute(w, map[string]any{ // to who has asked: he may have gone
		"Host": s.p.Hostname, "Color": s.color, "Message": s.message, "Logo": s.logo, "Version": s.version,
		"Prefix": strings.TrimSuffix(prefix, "/"),
	})
}

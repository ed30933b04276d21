package dex

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
)

// page is what a page shows. All of it is somebody's own text: the templates quote it.
type page struct {
	Name string // of the issuer
	Path func(string) string

	Client, User, ID, Approval string
	Code, Problem              string
	Scopes                     []string
}

// show answers with a page.
func (s *server) show(w http.ResponseWriter, status int, name string, with page) {
	with.Name, with.Path = s.config.Frontend.Issuer, s.path
	if with.Name == "" {
		with.Name = "dex"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, name, with) // to who has asked: he may have gone
}

// fail is the page that says what went wrong.
func (s *server) fail(w http.ResponseWriter, status int, text string) {
	s.show(w, status, "error", page{Code: http.StatusText(status), Problem: text})
}

func (s *server) home(w http.ResponseWriter, _ *http.Request) {
	s.show(w, http.StatusOK, "home", page{})
}

// bound sets what a browser may do with an answer. There is no form-action: a browser would hold what a form's answer
// leads to, which is the client, to it as well.
func bound(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // addresses have codes
	h.Set("Cache-Control", "no-store")
}

var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; frame-ancestors 'none'"
}()

// meanings says what scopes let a client know.
func meanings(wanted []string) []string {
	var list []string
	for _, scope := range wanted {
		switch scope {
		case scopeOpenID: // it is the login itself
		case scopeOffline:
			list = append(list, "Have offline access")
		case scopeProfile:
			list = append(list, "View basic profile information")
		case scopeEmail:
			list = append(list, "View your email address")
		case scopeGroups:
			list = append(list, "View your groups")
		default:
			list = append(list, short(scope))
		}
	}
	return list
}

const style = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; padding: 16px; min-height: 100vh; display: grid; place-content: center; grid-template-columns: minmax(0, 360px);
  font: 16px/1.5 system-ui, sans-serif; color: #1d2733; background: #eef1f5; }
main { padding: 24px; border: 1px solid #d4dae2; border-radius: 8px; background: #fff; overflow-wrap: anywhere; }
h1 { margin: 4px 0 12px; font-size: 22px; line-height: 1.25; }
p, ul, form { margin: 0 0 12px; }
ul { padding-left: 20px; }
.who { font-size: 14px; color: #57657a; }
label { display: block; margin-bottom: 12px; font-size: 14px; }
input, button { display: block; width: 100%; padding: 10px 12px; font: inherit; border: 1px solid #8492a6; border-radius: 6px; color: inherit; background: #fff; }
.code { font-family: ui-monospace, monospace; letter-spacing: 0.04em; }
button { border-color: #2456b5; color: #fff; background: #2456b5; cursor: pointer; }
button.no { border-color: #8492a6; color: inherit; background: none; }
a { color: #2456b5; }
:focus-visible { outline: 3px solid #7fa8f5; outline-offset: 2px; }
.problem { padding: 8px 12px; border-left: 4px solid #b3261e; background: #fbeae9; }
@media (prefers-color-scheme: dark) {
  body { color: #e4e9f0; background: #10151c; }
  main, input { background: #19202a; border-color: #333f4f; }
  input { border-color: #6d7b90; }
  .who { color: #a3b0c2; }
  a { color: #8db4ff; }
  .problem { background: #3a1c1b; }
}
`

var pages = template.Must(template.New("").Parse(`
{{define "top"}}<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Name}}</title>
<style>` + style + `</style>
</head>
<body>
<main>
<p class="who">{{.Name}}</p>
{{end}}
{{define "end"}}</main>
</body>
</html>
{{end}}
{{define "problem"}}{{if .Problem}}<p class="problem" role="alert" id="problem">{{.Problem}}</p>
{{end}}{{end}}

{{define "home"}}{{template "top" .}}<h1>An OpenID Connect provider</h1>
<p><a href="{{call .Path "/.well-known/openid-configuration"}}">Discovery</a>: where everything else is</p>
<p><a href="{{call .Path "/device"}}">Log a device in</a>: with the code that it shows</p>
{{template "end" .}}{{end}}

{{define "login"}}{{template "top" .}}<h1>Log in to Your Account</h1>
<p>to go on to {{.Client}}</p>
<form method="post" action="{{call .Path "/auth/local/login"}}?back=&amp;state={{.ID}}">
{{template "problem" .}}<label>Email Address
<input name="login" type="text" required autocomplete="username" autocapitalize="none" value="{{.User}}"{{if .Problem}} aria-describedby="problem"{{else}} autofocus{{end}}></label>
<label>Password
<input name="password" type="password" required autocomplete="current-password"{{if .Problem}} aria-describedby="problem" autofocus{{end}}></label>
<button type="submit">Login</button>
</form>
{{template "end" .}}{{end}}

{{define "approval"}}{{template "top" .}}<h1>Grant Access</h1>
{{if .Scopes}}<p>{{.Client}} would like to:</p>
<ul>{{range .Scopes}}
<li>{{.}}</li>{{end}}
</ul>
{{else}}<p>{{.Client}} has not requested any personal information</p>
{{end}}<p class="who">You are {{.User}}</p>
<form method="post" action="{{call .Path "/approval"}}">
<input type="hidden" name="req" value="{{.ID}}">
<input type="hidden" name="hmac" value="{{.Approval}}">
<input type="hidden" name="approval" value="approve">
<button type="submit">Grant Access</button>
</form>
<form method="post" action="{{call .Path "/approval"}}">
<input type="hidden" name="req" value="{{.ID}}">
<input type="hidden" name="hmac" value="{{.Approval}}">
<input type="hidden" name="approval" value="rejected">
<button type="submit" class="no">Cancel</button>
</form>
{{template "end" .}}{{end}}

{{define "device"}}{{template "top" .}}<h1>Enter User Code</h1>
<form method="post" action="{{call .Path "/device/auth/verify_code"}}">
{{template "problem" .}}<label>The code that your device shows
<input class="code" name="user_code" type="text" required placeholder="BCDF-GHJK" autocomplete="off" autocapitalize="characters" spellcheck="false" value="{{.Code}}"{{if .Problem}} aria-describedby="problem"{{end}} autofocus></label>
<button type="submit">Submit</button>
</form>
{{template "end" .}}{{end}}

{{define "deviceDone"}}{{template "top" .}}<h1>Login Successful for {{.Client}}</h1>
<p>Return to your device to continue</p>
{{template "end" .}}{{end}}

{{define "oob"}}{{template "top" .}}<h1>Login Successful</h1>
<label>Please copy this code, switch to your application and paste it there:
<input class="code" type="text" readonly value="{{.Code}}"></label>
{{template "end" .}}{{end}}

{{define "error"}}{{template "top" .}}<h1>{{.Code}}</h1>
<p>{{.Problem}}</p>
{{template "end" .}}{{end}}
`))

package dex

import (
	"net/http"
	"net/url"
)

// login is the form that asks for the password. Its address has the request, so that nothing is kept in a cookie.
func (s *server) login(w http.ResponseWriter, r *http.Request) {
	q, ok := s.form(w, r)
	if !ok {
		return
	}
	id := r.URL.Query().Get("state")
	asked, ok := s.requests.get(id)
	if !ok {
		s.log.Error("invalid 'state' parameter provided")
		s.fail(w, http.StatusBadRequest, "This login is not there any more: it has ended, or took too long. Begin again where you came from.")
		return
	}
	form := page{Client: asked.client.Name, ID: id, User: short(q.Get("login"))}
	if r.Method != http.MethodPost {
		form.User = ""
		s.show(w, http.StatusOK, "login", form)
		return
	}
	who, err := s.identify(r.Context(), r.PostForm.Get("login"), r.PostForm.Get("password"))
	switch {
	case err != nil:
		form.Problem = err.Error()
		s.show(w, http.StatusServiceUnavailable, "login", form)
		return
	case who == nil:
		form.Problem = "Invalid Email Address and password."
		s.show(w, http.StatusOK, "login", form)
		return
	}
	approval := secretName()
	if !s.requests.change(id, func(kept *request) { kept.who, kept.approval = who, approval }) {
		s.fail(w, http.StatusBadRequest, "User session error.")
		return
	}
	s.successful(who)
	if s.config.OAuth2.SkipApprovalScreen && !asked.approve {
		s.finish(w, r, id)
		return
	}
	http.Redirect(w, r, s.path("/approval")+"?"+url.Values{"req": {id}, "hmac": {approval}}.Encode(), http.StatusSeeOther)
}

func (s *server) successful(who *person) {
	s.log.Info("login successful", "connector_id", local, "user_id", who.UserID, "username", who.name(),
		"preferred_username", who.PreferredUsername, "email", who.Email, "groups", who.Groups)
}

package apiserver

import (
	"crypto/subtle"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	authgroup "k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/user"
)

// passwords authenticates requests by HTTP basic authentication (RFC 7617) against a file, as upstream did until
// 1.18 with --basic-auth-file (kubernetes PR 89069 took it away): for who wants to see what the first editions of
// the guide tell of. It is off unless somebody writes that file.
type passwords map[string]account

type account struct {
	password string
	info     *user.DefaultInfo
}

// basicAuth asks the file's passwords before next; with no file it is next.
func basicAuth(path string, next authenticator.Request) (authenticator.Request, error) {
	if path == "" {
		return next, nil
	}
	p, err := readPasswords(path)
	if err != nil {
		return nil, err
	}
	// As upstream's union does for the ways beside it, so that the trace sees each.
	return union.NewFailOnError(authgroup.NewAuthenticatedGroupAdder(p), next), nil
}

// readPasswords reads "password,user,uid" and, if there are groups, "g1,g2" in quotes as a fourth field.
func readPasswords(path string) (passwords, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the file of passwords: %w", err)
	}
	defer f.Close()
	lines := csv.NewReader(f)
	lines.FieldsPerRecord = -1
	p := passwords{}
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the file of passwords: %w", err)
		}
		line, _ := lines.FieldPos(0)
		// Not what stands there: it is a password.
		if len(fields) < 3 || fields[0] == "" || fields[1] == "" {
			return nil, fmt.Errorf("the file of passwords, line %d: it wants password,user,uid and possibly \"group1,group2\"", line)
		}
		if _, twice := p[fields[1]]; twice {
			return nil, fmt.Errorf("the file of passwords, line %d: user %q is there already", line, fields[1])
		}
		a := account{fields[0], &user.DefaultInfo{Name: fields[1], UID: fields[2]}}
		if len(fields) > 3 && fields[3] != "" {
			a.info.Groups = strings.Split(fields[3], ",")
		}
		p[fields[1]] = a
	}
}

// errPassword says nothing of which of the two was wrong.
var errPassword = errors.New("invalid user name or password")

// AuthenticateRequest implements authenticator.Request.
func (p passwords) AuthenticateRequest(r *http.Request) (*authenticator.Response, bool, error) {
	name, password, ok := r.BasicAuth()
	if !ok {
		return nil, false, nil
	}
	a, known := p[name]
	if subtle.ConstantTimeCompare([]byte(a.password), []byte(password)) != 1 || !known {
		return nil, false, errPassword
	}
	// As upstream's bearer tokens: nothing behind this sees the password.
	r.Header.Del("Authorization")
	info := *a.info
	info.Groups = slices.Clone(info.Groups)
	return &authenticator.Response{User: &info}, true, nil
}

// Name implements apitrace.Named.
func (passwords) Name() string { return "password (retired upstream)" }

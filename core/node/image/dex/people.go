package dex

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/tabernetes/tabernetes/core/program"
)

// local is the connector that knows the passwords of the configuration.
const local = "local"

// maxCost bounds bcrypt's cost. dex takes 16; here nothing else runs while a password is checked, and each step doubles
// the time. 12 is what dex recommends.
const maxCost = 12

// person is somebody with a password.
type person struct {
	Email             string   `json:"email"`
	Hash              string   `json:"hash"`
	HashFromEnv       string   `json:"hashFromEnv"`
	Username          string   `json:"username"`
	Name              string   `json:"name"`
	PreferredUsername string   `json:"preferredUsername"`
	EmailVerified     *bool    `json:"emailVerified"`
	UserID            string   `json:"userID"`
	Groups            []string `json:"groups"`
}

func (one *person) check(p *program.Process) error {
	if one.Email == "" {
		return errors.New("no email provided")
	}
	if one.Hash == "" && one.HashFromEnv != "" {
		one.Hash = p.Getenv(one.HashFromEnv)
	}
	if one.Hash == "" {
		return fmt.Errorf("%s: no password hash provided", one.Email)
	}
	cost, err := bcrypt.Cost([]byte(one.Hash))
	if err != nil {
		// dex takes it in base64, too.
		data, notBase64 := base64.StdEncoding.DecodeString(one.Hash)
		if notBase64 != nil {
			return fmt.Errorf("%s: malformed bcrypt hash: %w", one.Email, err)
		}
		if cost, err = bcrypt.Cost(data); err != nil {
			return fmt.Errorf("%s: malformed bcrypt hash: %w", one.Email, err)
		}
		one.Hash = string(data)
	}
	if cost < bcrypt.DefaultCost {
		return fmt.Errorf("%s: given hash cost = %d does not meet minimum cost requirement = %d", one.Email, cost, bcrypt.DefaultCost)
	}
	if cost > maxCost {
		return fmt.Errorf("%s: given hash cost = %d is above upper bound cost = %d, because the tab stands still while it is checked: "+
			"make it by `htpasswd -bnBC 10 \"\" PASSWORD | tr -d ':\\n'`", one.Email, cost, maxCost)
	}
	return nil
}

func (one *person) name() string {
	if one.Name != "" {
		return one.Name
	}
	return one.Username
}

func (one *person) verified() bool { return one.EmailVerified == nil || *one.EmailVerified }

// identify is whose password that is; nil is nobody's. An error says that too many ask at once.
func (s *server) identify(ctx context.Context, email, password string) (*person, error) {
	leave, err := s.passwords.enter(ctx)
	if err != nil {
		return nil, err
	}
	one, hash := s.people[strings.ToLower(email)], s.decoy
	if one != nil {
		hash = one.Hash
	}
	// Who is not there takes as long, so that nobody hears by it who is.
	right := bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil && one != nil
	leave(!right)
	if !right {
		s.log.Error("failed login attempt: Invalid credentials.", "user", short(email))
		return nil, nil
	}
	return one, nil
}

package etcdview

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// encryptedPrefix begins every value that the API server has encrypted. What follows is PROVIDER:VERSION:NAME:
// (k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go).
const encryptedPrefix = "k8s:enc:"

// maxName bounds a provider's or key's name as it is shown, in bytes.
const maxName = 253

// Encryption is who encrypted a value.
type Encryption struct {
	// Provider is aescbc, aesgcm, secretbox, or kms with its version if that is not v1: "kms v2".
	Provider string `json:"provider"`
	// Key is the name of the key, or of the kms provider, as the configuration calls it: up to its first colon, since
	// only the configuration knows where it ends.
	Key string `json:"key"`
}

// encryption reads the words before an encrypted value. ok is false of what no provider writes.
func encryption(value []byte) (e Encryption, ok bool) {
	// No more of it is looked at than the words can have: what follows on them is encrypted.
	words, ok := strings.CutPrefix(string(value[:min(len(value), 3*maxName)]), encryptedPrefix)
	if !ok {
		return e, false
	}
	part := strings.SplitN(words, ":", 4)
	if len(part) != 4 || !isName(part[0]) || !isName(part[1]) || !isName(part[2]) {
		return e, false
	}
	e = Encryption{Provider: part[0], Key: part[2]}
	if part[1] != "v1" {
		e.Provider += " " + part[1]
	}
	return e, true
}

func isName(s string) bool {
	return s != "" && len(s) <= maxName && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

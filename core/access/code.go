package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
)

// The labels keep these hashes apart from all others.
const (
	commitmentLabel = "tabernetes access commitment 1"
	codeLabel       = "tabernetes access code 1"
)

const (
	nonceSize      = 32
	commitmentSize = sha256.Size
)

func newNonce() []byte {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // never fails
	return nonce
}

// commit binds to a nonce without telling it.
func commit(nonce []byte) []byte { return digest([]byte(commitmentLabel), nonce) }

// codeOf is ten letters and digits for two people to compare: "ABCDE-FGH23". It is of all that either
// side has been told: who asks and by which key, the cluster's CA and name, and a nonce of each.
// Whoever substitutes any of it has fixed his choice before he knows what code comes of it on either
// side, because the asker's nonce is committed to before the cluster tells its own, and told after it.
// So the codes of both sides agree by chance only, once in 2⁵⁰ attempts.
func codeOf(q Question, o Offer, nonce []byte) string {
	sum := digest([]byte(codeLabel), []byte(q.User), []byte(q.CSR), []byte(o.CA), []byte(o.ServerName), nonce, o.Nonce)
	text := base32.StdEncoding.EncodeToString(sum)
	return text[:5] + "-" + text[5:10]
}

// digest hashes the parts with their lengths, so that no part can be moved into the next.
func digest(parts ...[]byte) []byte {
	h := sha256.New()
	for _, p := range parts {
		_ = binary.Write(h, binary.BigEndian, uint64(len(p)))
		h.Write(p)
	}
	return h.Sum(nil)
}

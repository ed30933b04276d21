package openssl

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// certificate is what is to be signed.
type certificate struct {
	subject, issuer []byte // encoded names
	public          crypto.PublicKey
	extensions      []pkix.Extension
	key             crypto.Signer // the issuer's
	serial          *big.Int      // nil: of -set_serial, or a random one
	days            int           // unless -days says
	config          config
}

// mostDays is about a hundred years.
const mostDays = 36600

// certify signs a certificate, from now on for so many days.
func (r *Run) certify(o *options, c certificate) ([]byte, error) {
	days, err := o.number("days", c.days, 0, mostDays)
	if err != nil {
		return nil, err
	}
	serial := c.serial
	if o.has("set_serial") {
		if serial, err = serialNumber(o.get("set_serial")); err != nil {
			return nil, err
		}
	}
	if serial == nil {
		if serial, err = randomSerial(); err != nil {
			return nil, err
		}
	}
	now := r.Now.UTC().Truncate(time.Second)
	template := &x509.Certificate{
		RawSubject: c.subject, SerialNumber: serial, NotBefore: now, NotAfter: now.AddDate(0, 0, days),
		ExtraExtensions: c.extensions, SignatureAlgorithm: algorithm(c.key, o.get("digest"), c.config),
	}
	// Whatever an extension says, nothing is added to what was asked for.
	parent := &x509.Certificate{RawSubject: c.issuer, PublicKey: c.key.Public()}
	return x509.CreateCertificate(rand.Reader, template, parent, c.public, c.key)
}

// maxSerial is how many bits a serial number has at most: 20 bytes, and it is above 0 (RFC 5280).
const maxSerial = 159

// randomSerial is as many random bits as openssl takes.
func randomSerial() (*big.Int, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), maxSerial-1))
	if err != nil {
		return nil, err
	}
	return n.Add(n, big.NewInt(1)), nil
}

// serialNumber reads a decimal number, or a hexadecimal one after 0x.
func serialNumber(text string) (*big.Int, error) {
	if n, ok := new(big.Int).SetString(text, 0); len(text) < 60 && ok && n.Sign() > 0 && n.BitLen() <= maxSerial {
		return n, nil
	}
	return nil, fmt.Errorf("the serial number %.60q is not a number above 0 of at most 20 bytes", text)
}

// algorithm is how a key of its kind signs with a digest; that of -sha384 and its like, of default_md, or SHA-256.
func algorithm(key crypto.Signer, digest string, c config) x509.SignatureAlgorithm {
	if digest == "" {
		digest, _ = c.get("req", "default_md")
	}
	digest = strings.ToLower(digest)
	switch key.(type) {
	case *rsa.PrivateKey:
		switch digest {
		case "sha384":
			return x509.SHA384WithRSA
		case "sha512":
			return x509.SHA512WithRSA
		case "sha1":
			return x509.SHA1WithRSA
		}
		return x509.SHA256WithRSA
	case *ecdsa.PrivateKey:
		switch digest {
		case "sha384":
			return x509.ECDSAWithSHA384
		case "sha512":
			return x509.ECDSAWithSHA512
		case "sha1":
			return x509.ECDSAWithSHA1
		}
		return x509.ECDSAWithSHA256
	case ed25519.PrivateKey:
		return x509.PureEd25519
	}
	return x509.UnknownSignatureAlgorithm
}

// nextSerial is the serial number of a CA's file and one more, which is written there.
func (r *Run) nextSerial(file string, create bool) (*big.Int, error) {
	n := new(big.Int)
	data, err := r.read(file)
	switch {
	case err == nil:
		if _, ok := n.SetString(strings.TrimSpace(string(data)), 16); !ok || n.Sign() < 0 || n.BitLen() > maxSerial {
			return nil, fmt.Errorf("there is no serial number in %s: it is one hexadecimal number", file)
		}
		n.Add(n, big.NewInt(1))
	case !create:
		return nil, err
	default:
		if n, err = randomSerial(); err != nil {
			return nil, err
		}
	}
	text := strings.ToUpper(n.Text(16))
	if len(text)%2 == 1 {
		text = "0" + text
	}
	return n, r.write(file, false, []byte(text+"\n"))
}

var errKeys = errors.New("CA certificate and CA private key do not match")

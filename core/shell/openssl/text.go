package openssl

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"strings"
)

// colons shows bytes as 0A:1B.
func colons(data []byte) string {
	parts := make([]string, len(data))
	for i, b := range data {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":")
}

// dump shows bytes as lines of so many, each after indent; all but the last end in a colon.
func dump(w io.Writer, data []byte, width int, indent string) {
	for at := 0; at < len(data); at += width {
		end := min(at+width, len(data))
		line := strings.ToLower(colons(data[at:end]))
		if end < len(data) {
			line += ":"
		}
		fmt.Fprintln(w, indent+line)
	}
}

const keyWidth, signatureWidth = 15, 18

// printable shows a stranger's letters, and as points what would tell the terminal something.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '.'
		}
		return r
	}, text)
}

// unsigned is a number's bytes as DER has them: with a zero before a first bit that is one.
func unsigned(n *big.Int) []byte {
	data := n.Bytes()
	if len(data) == 0 || data[0]&0x80 != 0 {
		data = append([]byte{0}, data...)
	}
	return data
}

func numberText(w io.Writer, indent, title string, n *big.Int) {
	fmt.Fprintf(w, "%s%s:\n", indent, title)
	dump(w, unsigned(n), keyWidth, indent+"    ")
}

func exponent(n int) string { return fmt.Sprintf("%d (0x%x)", n, n) }

// curveOf is the curve of a key; the zero one where openssl's name is not known here.
func curveOf(k *ecdsa.PublicKey) (c struct {
	name, nist string
	oid        []int
}) {
	for _, known := range curves {
		if k.Curve == known.curve {
			c.name, c.nist, c.oid = known.name, known.nist, known.oid
		}
	}
	return c
}

func point(k *ecdsa.PublicKey) []byte {
	data, err := k.Bytes()
	if err != nil {
		return nil
	}
	return data
}

func curveText(w io.Writer, indent string, k *ecdsa.PublicKey) {
	c := curveOf(k)
	fmt.Fprintf(w, "%sASN1 OID: %s\n%sNIST CURVE: %s\n", indent, c.name, indent, c.nist)
}

// publicText shows a public key as -text does.
func publicText(w io.Writer, public crypto.PublicKey, indent string) {
	switch k := public.(type) {
	case *rsa.PublicKey:
		fmt.Fprintf(w, "%sPublic-Key: (%d bit)\n", indent, k.N.BitLen())
		numberText(w, indent, "Modulus", k.N)
		fmt.Fprintf(w, "%sExponent: %s\n", indent, exponent(k.E))
	case *ecdsa.PublicKey:
		fmt.Fprintf(w, "%sPublic-Key: (%d bit)\n%spub:\n", indent, k.Curve.Params().BitSize, indent)
		dump(w, point(k), keyWidth, indent+"    ")
		curveText(w, indent, k)
	case ed25519.PublicKey:
		fmt.Fprintf(w, "%sED25519 Public-Key:\n%spub:\n", indent, indent)
		dump(w, k, keyWidth, indent+"    ")
	default:
		fmt.Fprintf(w, "%sUnable to load Public Key\n", indent)
	}
}

// privateText shows a private key as -text does.
func privateText(w io.Writer, key crypto.Signer) {
	switch k := key.(type) {
	case *rsa.PrivateKey:
		fmt.Fprintf(w, "Private-Key: (%d bit, %d primes)\n", k.N.BitLen(), len(k.Primes))
		numberText(w, "", "modulus", k.N)
		fmt.Fprintf(w, "publicExponent: %s\n", exponent(k.E))
		k.Precompute()
		for _, part := range []struct {
			title string
			n     *big.Int
		}{
			{"privateExponent", k.D}, {"prime1", k.Primes[0]}, {"prime2", k.Primes[1]}, {"exponent1", k.Precomputed.Dp},
			{"exponent2", k.Precomputed.Dq}, {"coefficient", k.Precomputed.Qinv},
		} {
			numberText(w, "", part.title, part.n)
		}
	case *ecdsa.PrivateKey:
		fmt.Fprintf(w, "Private-Key: (%d bit)\npriv:\n", k.Curve.Params().BitSize)
		if data, err := k.Bytes(); err == nil {
			dump(w, data, keyWidth, "    ")
		}
		fmt.Fprintln(w, "pub:")
		dump(w, point(&k.PublicKey), keyWidth, "    ")
		curveText(w, "", &k.PublicKey)
	case ed25519.PrivateKey:
		fmt.Fprintln(w, "ED25519 Private-Key:\npriv:")
		dump(w, k.Seed(), keyWidth, "    ")
		fmt.Fprintln(w, "pub:")
		dump(w, k.Public().(ed25519.PublicKey), keyWidth, "    ")
	}
}

func modulus(w io.Writer, public crypto.PublicKey) {
	if k, ok := public.(*rsa.PublicKey); ok {
		fmt.Fprintf(w, "Modulus=%s\n", strings.ToUpper(hex.EncodeToString(k.N.Bytes())))
		return
	}
	fmt.Fprintln(w, "Modulus=No modulus for this public key type")
}

func publicAlgorithm(public crypto.PublicKey) string {
	switch public.(type) {
	case *rsa.PublicKey:
		return "rsaEncryption"
	case *ecdsa.PublicKey:
		return "id-ecPublicKey"
	case ed25519.PublicKey:
		return "ED25519"
	}
	return "unknown"
}

func signatureName(a x509.SignatureAlgorithm) string {
	if name, ok := map[x509.SignatureAlgorithm]string{
		x509.MD5WithRSA: "md5WithRSAEncryption", x509.SHA1WithRSA: "sha1WithRSAEncryption",
		x509.SHA256WithRSA: "sha256WithRSAEncryption", x509.SHA384WithRSA: "sha384WithRSAEncryption", x509.SHA512WithRSA: "sha512WithRSAEncryption",
		x509.ECDSAWithSHA1: "ecdsa-with-SHA1", x509.ECDSAWithSHA256: "ecdsa-with-SHA256", x509.ECDSAWithSHA384: "ecdsa-with-SHA384", x509.ECDSAWithSHA512: "ecdsa-with-SHA512",
		x509.SHA256WithRSAPSS: "rsassaPss", x509.SHA384WithRSAPSS: "rsassaPss", x509.SHA512WithRSAPSS: "rsassaPss",
		x509.PureEd25519: "ED25519",
	}[a]; ok {
		return name
	}
	return "unknown"
}

func keyInfo(w io.Writer, public crypto.PublicKey) {
	fmt.Fprintf(w, "        Subject Public Key Info:\n            Public Key Algorithm: %s\n", publicAlgorithm(public))
	publicText(w, public, strings.Repeat(" ", 16))
}

func signatureText(w io.Writer, a x509.SignatureAlgorithm, signature []byte) {
	fmt.Fprintf(w, "    Signature Algorithm: %s\n    Signature Value:\n", signatureName(a))
	dump(w, signature, signatureWidth, "        ")
}

// certificateText shows a certificate as x509 -text does.
func certificateText(w *bytes.Buffer, c *x509.Certificate) {
	fmt.Fprintf(w, "Certificate:\n    Data:\n        Version: %d (0x%x)\n", c.Version, c.Version-1)
	if c.SerialNumber.IsInt64() {
		fmt.Fprintf(w, "        Serial Number: %d (0x%x)\n", c.SerialNumber, c.SerialNumber)
	} else {
		sign := ""
		if c.SerialNumber.Sign() < 0 {
			sign = " (Negative)"
		}
		fmt.Fprintf(w, "        Serial Number:%s\n            %s\n", sign, strings.ToLower(colons(c.SerialNumber.Bytes())))
	}
	fmt.Fprintf(w, "        Signature Algorithm: %s\n        Issuer: %s\n", signatureName(c.SignatureAlgorithm), nameText(c.RawIssuer, oneline))
	fmt.Fprintf(w, "        Validity\n            Not Before: %s\n            Not After : %s\n", c.NotBefore.UTC().Format(opensslTime), c.NotAfter.UTC().Format(opensslTime))
	fmt.Fprintf(w, "        Subject: %s\n", nameText(c.RawSubject, oneline))
	keyInfo(w, c.PublicKey)
	if len(c.Extensions) > 0 {
		fmt.Fprintln(w, "        X509v3 extensions:")
		for _, e := range c.Extensions {
			extensionText(w, e, "            ", "                ")
		}
	}
	signatureText(w, c.SignatureAlgorithm, c.Signature)
}

// requestText shows a request as req -text does.
func requestText(w *bytes.Buffer, q *x509.CertificateRequest) {
	fmt.Fprintf(w, "Certificate Request:\n    Data:\n        Version: %d (0x%x)\n        Subject: %s\n", q.Version+1, q.Version, nameText(q.RawSubject, oneline))
	keyInfo(w, q.PublicKey)
	fmt.Fprintln(w, "        Attributes:")
	if len(q.Extensions) == 0 {
		fmt.Fprintln(w, "            (none)")
	}
	fmt.Fprintln(w, "            Requested Extensions:")
	for _, e := range q.Extensions {
		extensionText(w, e, "                ", "                    ")
	}
	signatureText(w, q.SignatureAlgorithm, q.Signature)
}

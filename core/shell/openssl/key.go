package openssl

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// curves by the names that openssl knows them by.
var curves = []struct {
	name, nist string
	oid        asn1.ObjectIdentifier
	curve      elliptic.Curve
}{
	{"secp224r1", "P-224", asn1.ObjectIdentifier{1, 3, 132, 0, 33}, elliptic.P224()},
	{"prime256v1", "P-256", asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}, elliptic.P256()},
	{"secp384r1", "P-384", asn1.ObjectIdentifier{1, 3, 132, 0, 34}, elliptic.P384()},
	{"secp521r1", "P-521", asn1.ObjectIdentifier{1, 3, 132, 0, 35}, elliptic.P521()},
}

// Sizes of RSA keys, in bits: below Go refuses to make them, above the whole page would wait for minutes.
const (
	leastRSA, mostRSA = 1024, 4096
	usualRSA          = 2048
)

func genRSA(ctx context.Context, r *Run, args []string) error {
	o, err := parse(args, "out=", "traditional", "f4", "F4", "3", "quiet", "verbose", "passout=")
	if err != nil {
		return err
	}
	bits := usualRSA
	if len(o.args) > 0 {
		if bits, err = number("the size", o.args[0], leastRSA, mostRSA); err != nil {
			return err
		}
	}
	if o.has("3") {
		return errors.New("-3: keys have the exponent 65537 here")
	}
	key, err := GenerateRSA(ctx, bits)
	if err != nil {
		return err
	}
	return r.writeKey(o.get("out"), key, "PEM", o.has("traditional"))
}

func genPKey(ctx context.Context, r *Run, args []string) error {
	o, err := parse(args, "algorithm=", "pkeyopt=", "out=", "outform=", "quiet")
	if err == nil {
		err = o.none()
	}
	if err != nil {
		return err
	}
	key, err := generate(ctx, o.get("algorithm"), o.values["pkeyopt"])
	if err != nil {
		return err
	}
	return r.writeKey(o.get("out"), key, o.get("outform"), false)
}

// generate makes a key by the name of its algorithm and the options of -pkeyopt.
func generate(ctx context.Context, algorithm string, pkeyopt []string) (crypto.Signer, error) {
	bits, curve := usualRSA, ""
	for _, opt := range pkeyopt {
		name, value, _ := strings.Cut(opt, ":")
		var err error
		switch name {
		case "rsa_keygen_bits":
			bits, err = number(name, value, leastRSA, mostRSA)
		case "ec_paramgen_curve":
			curve = value
		case "ec_param_enc":
		default:
			err = fmt.Errorf("-pkeyopt %.60q is not known here; there is rsa_keygen_bits:N and ec_paramgen_curve:NAME", opt)
		}
		if err != nil {
			return nil, err
		}
	}
	switch strings.ToLower(algorithm) {
	case "rsa":
		return GenerateRSA(ctx, bits)
	case "ec":
		if curve == "" {
			return nil, errors.New("name the curve: -pkeyopt ec_paramgen_curve:prime256v1")
		}
		return generateEC(curve)
	case "ed25519":
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	}
	return nil, fmt.Errorf("-algorithm %.60q is not known here; there is RSA, EC and ED25519", algorithm)
}

func generateEC(name string) (crypto.Signer, error) {
	for _, c := range curves {
		if name == c.name || name == c.nist || name == "secp256r1" && c.nist == "P-256" {
			return ecdsa.GenerateKey(c.curve, rand.Reader)
		}
	}
	return nil, fmt.Errorf("the curve %.60q is not known here; there is prime256v1, secp384r1, secp521r1 and secp224r1", name)
}

func ecParam(_ context.Context, r *Run, args []string) error {
	o, err := parse(args, "name=", "genkey", "noout", "out=", "list_curves")
	if err == nil {
		err = o.none()
	}
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if o.has("list_curves") {
		for _, c := range curves {
			fmt.Fprintf(&out, "  %-10s: NIST %s\n", c.name, c.nist)
		}
		return r.write(o.get("out"), false, out.Bytes())
	}
	key, err := generateEC(o.get("name"))
	if err != nil {
		return err
	}
	if !o.has("noout") {
		params, err := asn1.Marshal(curveOf(key.Public().(*ecdsa.PublicKey)).oid)
		if err != nil {
			return err
		}
		_ = pem.Encode(&out, &pem.Block{Type: "EC PARAMETERS", Bytes: params})
	}
	if o.has("genkey") {
		block, err := encodeKey(key, true)
		if err != nil {
			return err
		}
		_ = pem.Encode(&out, block)
	}
	return r.write(o.get("out"), o.has("genkey"), out.Bytes())
}

// encodeKey is PKCS #8, or the older form of the key's own kind.
func encodeKey(key crypto.Signer, traditional bool) (*pem.Block, error) {
	if traditional {
		switch k := key.(type) {
		case *rsa.PrivateKey:
			return &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)}, nil
		case *ecdsa.PrivateKey:
			der, err := x509.MarshalECPrivateKey(k)
			return &pem.Block{Type: "EC PRIVATE KEY", Bytes: der}, err
		}
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return &pem.Block{Type: "PRIVATE KEY", Bytes: der}, err
}

func (r *Run) writeKey(name string, key crypto.Signer, form string, traditional bool) error {
	block, err := encodeKey(key, traditional)
	if err != nil {
		return err
	}
	data, err := inForm(block, form)
	if err != nil {
		return err
	}
	return r.write(name, true, data)
}

// inForm is a block as PEM, or what is in it as DER.
func inForm(block *pem.Block, form string) ([]byte, error) {
	switch strings.ToUpper(form) {
	case "", "PEM":
		return pem.EncodeToMemory(block), nil
	case "DER":
		return block.Bytes, nil
	}
	return nil, fmt.Errorf("the form %.60q is not known here; there is PEM and DER", form)
}

// readKey reads a private key of any kind, as PEM or DER.
func (r *Run) readKey(name string) (crypto.Signer, error) {
	data, err := r.read(name)
	if err != nil {
		return nil, err
	}
	for rest := data; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		switch {
		case block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "":
			return nil, fmt.Errorf("the key in %s is encrypted, and there is nowhere to type a passphrase", shown(name))
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return parseKey(block.Bytes, name)
		}
	}
	return parseKey(data, name)
}

// What a stranger's file may ask to be computed has an end: a key's numbers are looked at while it is read.
const (
	maxKeyBytes = 16 << 10
	maxKeyBits  = 16384
)

var errLarge = fmt.Errorf("the key is larger than %d bits", maxKeyBits)

// bounded refuses public keys with which a signature would take long to check.
func bounded(public crypto.PublicKey) error {
	if k, ok := public.(*rsa.PublicKey); ok && k.N.BitLen() > maxKeyBits {
		return errLarge
	}
	return nil
}

func parseKey(der []byte, name string) (crypto.Signer, error) {
	if len(der) > maxKeyBytes {
		return nil, fmt.Errorf("%s: %w", shown(name), errLarge)
	}
	if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		if signer, ok := key.(crypto.Signer); ok {
			return signer, nil
		}
		return nil, fmt.Errorf("the key in %s is of no kind that signs", shown(name))
	}
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key, nil
	}
	return nil, fmt.Errorf("there is no private key in %s", shown(name))
}

// readPublic reads a public key, as PEM or DER.
func (r *Run) readPublic(name string) (crypto.PublicKey, error) {
	data, err := r.read(name)
	if err != nil {
		return nil, err
	}
	if block, _ := pem.Decode(data); block != nil {
		data = block.Bytes
	}
	if key, err := x509.ParsePKIXPublicKey(data); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PublicKey(data); err == nil {
		return key, nil
	}
	return nil, fmt.Errorf("there is no public key in %s", shown(name))
}

// pkeyCommand is rsa, ec and pkey: they read a key and write it, its public half or its numbers.
func pkeyCommand(_ context.Context, r *Run, args []string) error {
	o, err := parse(args, "in=", "inform=", "out=", "outform=", "pubin", "pubout", "text", "text_pub", "noout", "check", "traditional", "modulus", "passin=", "passout=")
	if err == nil {
		err = o.none()
	}
	if err != nil {
		return err
	}
	var key crypto.Signer
	var public crypto.PublicKey
	if o.has("pubin") {
		public, err = r.readPublic(o.get("in"))
	} else if key, err = r.readKey(o.get("in")); err == nil {
		public = key.Public()
	}
	if err != nil {
		return err
	}
	if kind := kindOf(public); args[0] != "pkey" && args[0] != kind {
		return fmt.Errorf("the key in %s is of the kind %q: openssl pkey reads every kind", shown(o.get("in")), kind)
	}
	if o.has("check") {
		r.checkKey(key)
	}
	var out bytes.Buffer
	switch {
	case !o.has("text", "text_pub"):
	case key != nil && !o.has("text_pub"):
		privateText(&out, key)
	default:
		publicText(&out, public, "")
	}
	if o.has("modulus") {
		modulus(&out, public)
	}
	if !o.has("noout") {
		block := &pem.Block{Type: "PUBLIC KEY"}
		if key == nil || o.has("pubout") {
			block.Bytes, err = x509.MarshalPKIXPublicKey(public)
		} else {
			block, err = encodeKey(key, o.has("traditional") || args[0] == "ec")
		}
		if err != nil {
			return err
		}
		data, err := inForm(block, o.get("outform"))
		if err != nil {
			return err
		}
		if args[0] != "pkey" {
			r.say("writing %s key", strings.ToUpper(args[0]))
		}
		out.Write(data)
	}
	return r.write(o.get("out"), key != nil && !o.has("pubout"), out.Bytes())
}

func (r *Run) checkKey(key crypto.Signer) {
	if k, ok := key.(*rsa.PrivateKey); ok {
		if err := k.Validate(); err != nil {
			fmt.Fprintf(r.Out, "RSA key not ok\n%v\n", err)
			return
		}
		fmt.Fprintln(r.Out, "RSA key ok")
		return
	}
	fmt.Fprintln(r.Out, "Key is valid")
}

func kindOf(public crypto.PublicKey) string {
	switch public.(type) {
	case *rsa.PublicKey:
		return "rsa"
	case *ecdsa.PublicKey:
		return "ec"
	case ed25519.PublicKey:
		return "ed25519"
	}
	return "other"
}

package openssl

import (
	"bufio"
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// req makes a request for a certificate, or a certificate that its own key has signed (-x509), or shows a request.
func req(ctx context.Context, r *Run, args []string) error {
	o, err := parse(args, "new", "x509", "nodes", "noenc", "newkey=", "pkeyopt=", "key=", "keyout=", "in=", "inform=", "out=", "outform=", "subj=", "config=",
		"days=", "addext=", "reqexts=", "extensions=", "set_serial=", "text", "noout", "subject", "pubkey", "modulus", "verify", "batch", "utf8", "nameopt=", "passin=", "passout=", "multi-rdn")
	if err == nil {
		err = o.none()
	}
	if err != nil {
		return err
	}
	if o.has("new", "newkey", "x509") && !o.has("in") {
		return r.newRequest(ctx, o)
	}
	request, err := r.readRequest(o.get("in"))
	if err != nil {
		return err
	}
	if o.has("verify") {
		if err := request.CheckSignature(); err != nil {
			r.say("Certificate request self-signature verify failure")
			return errSaid
		}
		r.say("Certificate request self-signature verify OK")
	}
	var out bytes.Buffer
	if o.has("x509") {
		key, err := r.readKey(o.get("key"))
		if err != nil {
			return err
		}
		return r.selfSigned(o, config{}, request.RawSubject, key)
	}
	if err := request.show(&out, o); err != nil {
		return err
	}
	return r.finish(o, &out, &pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request.Raw})
}

// request is a certificate request that is read.
type request struct{ *x509.CertificateRequest }

func (q request) show(out *bytes.Buffer, o *options) error {
	if o.has("pubkey") {
		der, err := x509.MarshalPKIXPublicKey(q.PublicKey)
		if err != nil {
			return err
		}
		_ = pem.Encode(out, &pem.Block{Type: "PUBLIC KEY", Bytes: der})
	}
	if o.has("text") {
		requestText(out, q.CertificateRequest)
	}
	if o.has("subject") {
		f, err := nameForm(o)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "subject=%s\n", nameText(q.RawSubject, f))
	}
	if o.has("modulus") {
		modulus(out, q.PublicKey)
	}
	return nil
}

// finish writes what is shown, and then the thing itself unless -noout.
func (r *Run) finish(o *options, shown *bytes.Buffer, block *pem.Block) error {
	if !o.has("noout") {
		data, err := inForm(block, o.get("outform"))
		if err != nil {
			return err
		}
		shown.Write(data)
	}
	return r.write(o.get("out"), false, shown.Bytes())
}

func (r *Run) readRequest(name string) (request, error) {
	der, err := r.readBlock(name, "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST")
	if err != nil {
		return request{}, err
	}
	q, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return request{}, fmt.Errorf("there is no certificate request in %s: %w", shown(name), err)
	}
	return request{q}, bounded(q.PublicKey)
}

// readBlock reads the first PEM block of one of the types, or what the file has if it is not PEM.
func (r *Run) readBlock(name string, types ...string) ([]byte, error) {
	data, err := r.read(name)
	if err != nil {
		return nil, err
	}
	any := false
	for rest := data; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if any = true; slices.Contains(types, block.Type) {
			return block.Bytes, nil
		}
	}
	if any || len(data) == 0 || data[0] != 0x30 { // a sequence, in DER
		return nil, fmt.Errorf("could not read a %s from %s", strings.ToLower(types[0]), shown(name))
	}
	return data, nil
}

func (r *Run) newRequest(ctx context.Context, o *options) error {
	c, err := r.requestConfig(o)
	if err != nil {
		return err
	}
	key, err := r.requestKey(ctx, o, c)
	if err != nil {
		return err
	}
	name, err := r.requestName(o, c)
	if err != nil {
		return err
	}
	if o.has("x509") {
		return r.selfSigned(o, c, name, key)
	}
	section := o.get("reqexts")
	if section == "" {
		section, _ = c.get("req", "req_extensions")
	}
	lines, err := c.section(section)
	if err != nil {
		return err
	}
	i := &issued{public: key.Public(), config: c}
	extensions, err := i.extensions(append(lines, added(o)...))
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		RawSubject: name, ExtraExtensions: extensions, SignatureAlgorithm: algorithm(key, o.get("digest"), c),
	}, key)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	q, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return err
	}
	if err := (request{q}).show(&out, o); err != nil {
		return err
	}
	return r.finish(o, &out, &pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
}

// requestConfig is the file of -config; there is no other: openssl.cnf's defaults are built in.
func (r *Run) requestConfig(o *options) (config, error) {
	if !o.has("config") {
		return config{}, nil
	}
	return r.readConfig(o.get("config"))
}

// section gives the lines of a section that somebody named; none for "".
func (c config) section(name string) ([]entry, error) {
	if name == "" {
		return nil, nil
	}
	lines, ok := c[name]
	if !ok {
		return nil, fmt.Errorf("there is no section [ %.60s ] in the configuration", name)
	}
	return slices.Clone(lines), nil
}

// added are the extensions of -addext.
func added(o *options) (lines []entry) {
	for _, text := range o.values["addext"] {
		key, value, _ := strings.Cut(text, "=")
		lines = append(lines, entry{key: strings.TrimSpace(key), value: strings.TrimSpace(value)})
	}
	return lines
}

// requestKey reads the key, or makes one and writes it.
func (r *Run) requestKey(ctx context.Context, o *options, c config) (crypto.Signer, error) {
	if o.has("key") {
		return r.readKey(o.get("key"))
	}
	encrypt, _ := c.get("req", "encrypt_key")
	if !o.has("nodes", "noenc") && encrypt != "no" && encrypt != "false" {
		return nil, errors.New("a new key would be encrypted, and there is nowhere to type a passphrase: add -nodes")
	}
	kind := o.get("newkey")
	if kind == "" {
		kind = "rsa"
		if bits, ok := c.get("req", "default_bits"); ok {
			kind += ":" + bits
		}
	}
	algorithm, size, sized := strings.Cut(kind, ":")
	options := o.values["pkeyopt"]
	if sized && strings.EqualFold(algorithm, "rsa") {
		options = append([]string{"rsa_keygen_bits:" + size}, options...)
	} else if sized {
		return nil, fmt.Errorf("-newkey %.60q is not known here; there is rsa:BITS, ec with -pkeyopt, and ed25519", kind)
	}
	key, err := generate(ctx, algorithm, options)
	if err != nil {
		return nil, err
	}
	out := o.get("keyout")
	if out == "" {
		if out, _ = c.get("req", "default_keyfile"); out == "" {
			out = "privkey.pem"
		}
	}
	r.say("-----")
	return key, r.writeKey(out, key, "PEM", false)
}

// asked are the parts of a name that are asked for where neither -subj nor a configuration says them, with openssl's defaults.
var asked = []struct{ question, key, otherwise string }{
	{"Country Name (2 letter code)", "C", "AU"},
	{"State or Province Name (full name)", "ST", "Some-State"},
	{"Locality Name (eg, city)", "L", ""},
	{"Organization Name (eg, company)", "O", "Internet Widgits Pty Ltd"},
	{"Organizational Unit Name (eg, section)", "OU", ""},
	{"Common Name (e.g. server FQDN or YOUR name)", "CN", ""},
	{"Email Address", "emailAddress", ""},
}

// requestName is the encoded subject: of -subj, of the configuration, or what people answer.
func (r *Run) requestName(o *options, c config) ([]byte, error) {
	if o.has("subj") {
		return subject(o.get("subj"))
	}
	var names pkix.RDNSequence
	put := func(key, value string) error {
		if value == "" {
			return nil
		}
		a, err := attribute(key, value)
		if err == nil {
			names = append(names, pkix.RelativeDistinguishedNameSET{a})
		}
		return err
	}
	section, named := c.get("req", "distinguished_name")
	lines, err := c.section(section)
	if err != nil {
		return nil, err
	}
	if prompt, _ := c.get("req", "prompt"); named && prompt == "no" {
		for _, l := range lines {
			key := l.key
			if before, after, ok := strings.Cut(key, "."); ok && strings.Trim(before, "0123456789") == "" {
				key = after // 1.OU
			}
			if err := put(key, l.value); err != nil {
				return nil, err
			}
		}
		return asn1.Marshal(names)
	}
	fields := asked
	if named {
		fields = nil
		for _, l := range lines {
			if _, err := attribute(l.key, ""); err != nil {
				continue // commonName_max, commonName_default
			}
			otherwise, _ := c.get(section, l.key+"_default")
			fields = append(fields, struct{ question, key, otherwise string }{l.value, l.key, otherwise})
		}
	}
	if err := r.ask(fields, o.has("batch"), put); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("no part of a name is given: name it, as by -subj /CN=jane")
	}
	return asn1.Marshal(names)
}

func (r *Run) ask(fields []struct{ question, key, otherwise string }, batch bool, put func(key, value string) error) error {
	in := bufio.NewReader(io.LimitReader(cmpReader(r.In), maxInput))
	if !batch {
		r.say("You are about to be asked to enter information that will be incorporated\ninto your certificate request.\n" +
			"What you are about to enter is what is called a Distinguished Name or a DN.\n" +
			"There are quite a few fields but you can leave some blank\nFor some fields there will be a default value,\n" +
			"If you enter '.', the field will be left blank.\n-----")
	}
	for _, f := range fields {
		value := f.otherwise
		if !batch {
			fmt.Fprintf(r.Err, "%s [%s]:", f.question, f.otherwise)
			line, err := in.ReadString('\n')
			if err != nil && line == "" {
				return errors.New("nobody answers: name the subject, as by -subj /CN=jane")
			}
			if line = strings.TrimSpace(line); line == "." {
				value = ""
			} else if line != "" {
				value = line
			}
		}
		if err := put(f.key, value); err != nil {
			return err
		}
	}
	return nil
}

func cmpReader(in io.Reader) io.Reader {
	if in == nil {
		return strings.NewReader("")
	}
	return in
}

// selfSigned writes a certificate that its own key has signed, with the extensions that openssl.cnf gives a CA unless a
// configuration names others.
func (r *Run) selfSigned(o *options, c config, name []byte, key crypto.Signer) error {
	section := o.get("extensions")
	if section == "" {
		section, _ = c.get("req", "x509_extensions")
	}
	lines, err := c.section(section)
	if err != nil {
		return err
	}
	if section == "" && !o.has("config") {
		lines = []entry{{key: "subjectKeyIdentifier", value: "hash"}, {key: "authorityKeyIdentifier", value: "keyid:always,issuer"}, {key: "basicConstraints", value: "critical,CA:true"}}
	}
	i := &issued{public: key.Public(), config: c}
	extensions, err := i.extensions(append(lines, added(o)...))
	if err != nil {
		return err
	}
	const usualDays = 30
	der, err := r.certify(o, certificate{subject: name, public: key.Public(), extensions: extensions, issuer: name, key: key, days: usualDays, config: c})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if o.has("text") {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return err
		}
		certificateText(&out, cert)
	}
	return r.finish(o, &out, &pem.Block{Type: "CERTIFICATE", Bytes: der})
}

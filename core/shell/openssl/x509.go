package openssl

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// x509Command shows a certificate, or makes one of a request (-req).
func x509Command(_ context.Context, r *Run, args []string) error {
	o, err := parse(args, "in=", "inform=", "out=", "outform=", "noout", "text", "subject", "issuer", "dates", "startdate", "enddate", "serial", "fingerprint",
		"pubkey", "modulus", "email", "ext=", "checkend=", "checkhost=", "nameopt=", "certopt=", "req", "CA=", "CAkey=", "CAserial=", "CAcreateserial",
		"set_serial=", "days=", "extfile=", "extensions=", "signkey=", "key=", "copy_extensions=", "passin=", "new", "subj=")
	if err == nil {
		err = o.none()
	}
	if err != nil {
		return err
	}
	var cert *x509.Certificate
	if o.has("req") {
		cert, err = r.sign(o)
	} else {
		cert, err = r.readCertificate(o.get("in"))
	}
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := showCertificate(&out, o, cert); err != nil {
		return err
	}
	if o.has("checkend") {
		seconds, err := number("-checkend", o.get("checkend"), 0, 1<<31-1)
		if err != nil {
			return err
		}
		if !cert.NotAfter.After(r.Now.Add(time.Duration(seconds) * time.Second)) {
			fmt.Fprintln(&out, "Certificate will expire")
			if err := r.write(o.get("out"), false, out.Bytes()); err != nil {
				return err
			}
			return errSaid
		}
		fmt.Fprintln(&out, "Certificate will not expire")
	}
	return r.finish(o, &out, &pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})
}

const opensslTime = "Jan _2 15:04:05 2006 GMT"

// showCertificate shows what is asked for, in the order in which it is.
func showCertificate(out *bytes.Buffer, o *options, cert *x509.Certificate) error {
	f, err := nameForm(o)
	if err != nil {
		return err
	}
	for _, what := range o.order {
		switch what {
		case "text":
			certificateText(out, cert)
		case "subject":
			fmt.Fprintf(out, "subject=%s\n", nameText(cert.RawSubject, f))
		case "issuer":
			fmt.Fprintf(out, "issuer=%s\n", nameText(cert.RawIssuer, f))
		case "email":
			for _, address := range cert.EmailAddresses {
				fmt.Fprintln(out, printable(address))
			}
		case "dates":
			fmt.Fprintf(out, "notBefore=%s\nnotAfter=%s\n", cert.NotBefore.UTC().Format(opensslTime), cert.NotAfter.UTC().Format(opensslTime))
		case "startdate":
			fmt.Fprintf(out, "notBefore=%s\n", cert.NotBefore.UTC().Format(opensslTime))
		case "enddate":
			fmt.Fprintf(out, "notAfter=%s\n", cert.NotAfter.UTC().Format(opensslTime))
		case "serial":
			fmt.Fprintf(out, "serial=%X\n", cert.SerialNumber.Bytes())
		case "fingerprint":
			fingerprint(out, cert, o.get("digest"))
		case "ext":
			err = someExtensions(out, cert.Extensions, strings.Split(o.get("ext"), ","))
		case "checkhost":
			verdict := "does match certificate"
			if cert.VerifyHostname(o.get("checkhost")) != nil {
				verdict = "does NOT match certificate"
			}
			fmt.Fprintf(out, "Hostname %s %s\n", printable(o.get("checkhost")), verdict)
		case "modulus":
			modulus(out, cert.PublicKey)
		case "pubkey":
			var der []byte
			if der, err = x509.MarshalPKIXPublicKey(cert.PublicKey); err == nil {
				err = pem.Encode(out, &pem.Block{Type: "PUBLIC KEY", Bytes: der})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func fingerprint(out *bytes.Buffer, cert *x509.Certificate, digest string) {
	shown := digest
	if digest == "" {
		digest, shown = "sha1", "SHA1"
	}
	h := digests[digest].make()
	h.Write(cert.Raw)
	fmt.Fprintf(out, "%s Fingerprint=%s\n", shown, colons(h.Sum(nil)))
}

// nameForm is how -nameopt wants names shown.
func nameForm(o *options) (form, error) {
	for opt := range strings.SplitSeq(o.get("nameopt"), ",") {
		switch strings.ToLower(opt) {
		case "", "oneline", "utf8":
		case "rfc2253":
			return rfc2253, nil
		case "compat":
			return compat, nil
		default:
			return 0, fmt.Errorf("-nameopt %.60q is not known here; there is oneline, RFC2253 and compat", opt)
		}
	}
	return oneline, nil
}

func (r *Run) readCertificate(name string) (*x509.Certificate, error) {
	der, err := r.readBlock(name, "CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE")
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("there is no certificate in %s: %w", shown(name), err)
	}
	return cert, bounded(cert.PublicKey)
}

// sign makes a certificate of a request: by a CA, or by the request's own key.
func (r *Run) sign(o *options) (*x509.Certificate, error) {
	q, err := r.readRequest(o.get("in"))
	if err != nil {
		return nil, err
	}
	if err := q.CheckSignature(); err != nil {
		return nil, errors.New("certificate request self-signature did not match the contents")
	}
	r.say("Certificate request self-signature ok\nsubject=%s", nameText(q.RawSubject, oneline))
	const usualDays = 30
	c := certificate{subject: q.RawSubject, public: q.PublicKey, days: usualDays}
	i := &issued{public: q.PublicKey}
	switch own := o.get("signkey") + o.get("key"); {
	case o.has("CA"):
		if i.issuer, c.key, err = r.authority(o); err == nil {
			if c.issuer = i.issuer.RawSubject; !o.has("set_serial") {
				c.serial, err = r.authoritySerial(o)
			}
		}
	case own != "":
		c.issuer = q.RawSubject
		c.key, err = r.readKey(own)
	default:
		err = errors.New("a request is signed by a CA (-CA ca.crt -CAkey ca.key), or by its own key (-signkey)")
	}
	if err != nil {
		return nil, err
	}
	if o.has("CA") && !samePublic(i.issuer.PublicKey, c.key.Public()) {
		return nil, errKeys
	}
	var lines []entry
	if o.has("extfile") {
		if i.config, err = r.readConfig(o.get("extfile")); err != nil {
			return nil, err
		}
		section := o.get("extensions")
		if section == "" {
			if section, _ = i.config.get("default", "extensions"); section == "" {
				section = "default"
			}
		}
		if lines, err = i.config.section(section); err != nil && section != "default" {
			return nil, err
		}
	}
	switch how := o.get("copy_extensions"); how {
	case "", "none":
	case "copy", "copyall":
		for _, e := range q.Extensions {
			c.extensions = replace(c.extensions, e)
		}
	default:
		return nil, fmt.Errorf("-copy_extensions %.60q: it is none, copy or copyall", how)
	}
	made, err := i.extensions(lines)
	if err != nil {
		return nil, err
	}
	for _, e := range made {
		c.extensions = replace(c.extensions, e)
	}
	if c.extensions, err = i.identified(c.extensions); err != nil {
		return nil, err
	}
	der, err := r.certify(o, c)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// identified adds the names of both keys where nobody asked for others.
func (i *issued) identified(all []pkix.Extension) ([]pkix.Extension, error) {
	for _, key := range []string{"subjectKeyIdentifier", "authorityKeyIdentifier"} {
		e, err := i.extension(key, "keyid")
		if err != nil {
			return nil, err
		}
		if !hasExtension(all, e.Id) {
			all = append(all, *e)
		}
	}
	return all, nil
}

// authority is a CA's certificate and key; the key may stand in the certificate's file.
func (r *Run) authority(o *options) (*x509.Certificate, crypto.Signer, error) {
	cert, err := r.readCertificate(o.get("CA"))
	if err != nil {
		return nil, nil, err
	}
	file := o.get("CAkey")
	if file == "" {
		file = o.get("CA")
	}
	key, err := r.readKey(file)
	return cert, key, err
}

// authoritySerial is the CA's next serial number; nil where nobody keeps them.
func (r *Run) authoritySerial(o *options) (*big.Int, error) {
	file := o.get("CAserial")
	if file == "" {
		file = strings.TrimSuffix(o.get("CA"), extensionOf(o.get("CA"))) + ".srl"
		if !o.has("CAcreateserial") {
			if f, err := r.Open(file); err != nil {
				return nil, nil
			} else {
				_ = f.Close()
			}
		}
	}
	return r.nextSerial(file, o.has("CAcreateserial"))
}

// extensionOf is a file name's end from its last dot on.
func extensionOf(name string) string {
	base := name[strings.LastIndex(name, "/")+1:]
	if at := strings.LastIndex(base, "."); at >= 0 {
		return base[at:]
	}
	return ""
}

func samePublic(a, b crypto.PublicKey) bool {
	k, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && k.Equal(b)
}

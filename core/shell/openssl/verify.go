package openssl

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// maxCertificates is how many certificates a file of trusted ones may have.
const maxCertificates = 1000

// verify says of certificates whether they lead to one that is trusted.
func verify(_ context.Context, r *Run, args []string) error {
	o, err := parse(args, "CAfile=", "untrusted=", "partial_chain", "purpose=", "verbose", "no_check_time", "show_chain", "verify_hostname=")
	if err != nil {
		return err
	}
	options := x509.VerifyOptions{CurrentTime: r.Now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}, DNSName: o.get("verify_hostname")}
	if options.Roots, err = r.pool(o.values["CAfile"]); err != nil {
		return err
	}
	if options.Intermediates, err = r.pool(o.values["untrusted"]); err != nil {
		return err
	}
	switch o.get("purpose") {
	case "":
	case "sslserver":
		options.KeyUsages = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	case "sslclient":
		options.KeyUsages = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	default:
		return fmt.Errorf("-purpose %.60q is not known here; there is sslserver and sslclient", o.get("purpose"))
	}
	if len(o.args) == 0 {
		o.args = []string{""}
	}
	failed := false
	for _, name := range o.args {
		cert, err := r.readCertificate(name)
		if err != nil {
			return err
		}
		if o.has("no_check_time") {
			options.CurrentTime = cert.NotBefore
		}
		if _, err = cert.Verify(options); err == nil {
			fmt.Fprintf(r.Out, "%s: OK\n", shownFile(name))
			continue
		}
		failed = true
		r.say("%s\n%s\nerror %s: verification failed", nameText(cert.RawSubject, oneline), reason(cert, err), shownFile(name))
	}
	if failed {
		return errVerify
	}
	return nil
}

func shownFile(name string) string {
	if name == "" || name == "-" {
		return "stdin"
	}
	return name
}

// reason has openssl's number and words for the usual reasons, and Go's for others.
func reason(cert *x509.Certificate, err error) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		if invalid.Cert == cert || invalid.Cert == nil {
			return "error 10 at 0 depth lookup: certificate has expired"
		}
		return "error 10 at 1 depth lookup: certificate has expired"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		if string(cert.RawIssuer) == string(cert.RawSubject) {
			return "error 18 at 0 depth lookup: self-signed certificate"
		}
		return "error 20 at 0 depth lookup: unable to get local issuer certificate"
	}
	return "error at 0 depth lookup: " + printable(err.Error())
}

func (r *Run) pool(files []string) (*x509.CertPool, error) {
	pool, n := x509.NewCertPool(), 0
	for _, name := range files {
		data, err := r.read(name)
		if err != nil {
			return nil, err
		}
		for {
			var block *pem.Block
			if block, data = pem.Decode(data); block == nil {
				break
			}
			cert, err := x509.ParseCertificate(block.Bytes)
			if err == nil {
				err = bounded(cert.PublicKey)
			}
			if err != nil {
				return nil, fmt.Errorf("there is no certificate in %s: %w", shown(name), err)
			}
			if n++; n > maxCertificates {
				return nil, fmt.Errorf("there are more than %d certificates", maxCertificates)
			}
			pool.AddCert(cert)
		}
	}
	return pool, nil
}

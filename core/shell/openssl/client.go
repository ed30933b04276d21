package openssl

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// handshakeTime is how long a server may take until it is known.
const handshakeTime = 15 * time.Second

// client is s_client: it greets a server by TLS, shows what it says of itself, and then passes on what is typed.
func client(ctx context.Context, r *Run, args []string) error {
	o, err := parse(args, "connect=", "host=", "port=", "servername=", "noservername", "CAfile=", "cert=", "key=", "showcerts", "brief", "quiet", "verify_return_error",
		"tls1_2", "tls1_3", "alpn=", "verify=", "ign_eof", "no_ign_eof", "verify_hostname=")
	if err != nil {
		return err
	}
	address := o.get("connect")
	switch {
	case len(o.args) == 1 && address == "":
		address = o.args[0]
	case len(o.args) > 0:
		return o.none()
	case address == "":
		host, port := o.get("host"), o.get("port")
		if host == "" {
			host = "localhost"
		}
		if port == "" {
			port = "4433"
		}
		address = net.JoinHostPort(host, port)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("-connect wants HOST:PORT, and not %.100q", address)
	}
	config, err := r.clientConfig(o, host)
	if err != nil {
		return err
	}
	if r.Dial == nil {
		return errors.New("there is no network here")
	}
	raw, err := r.Dial(ctx, address)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", printable(address), err)
	}
	defer raw.Close()
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	greeting, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	conn := tls.Client(raw, config)
	if !o.has("quiet") {
		fmt.Fprintln(r.Out, "CONNECTED(00000003)")
	}
	if err := conn.HandshakeContext(greeting); err != nil {
		return fmt.Errorf("greet %s by TLS: %s", printable(address), printable(err.Error()))
	}
	state := conn.ConnectionState()
	verdict := r.verdict(o, state, config.RootCAs)
	if verdict != "" {
		r.say("verify error:%s", verdict)
		if o.has("verify_return_error") {
			return errSaid
		}
	}
	if !o.has("quiet") {
		var out bytes.Buffer
		sessionText(&out, o, state, verdict)
		if _, err := r.Out.Write(out.Bytes()); err != nil {
			return err
		}
	}
	if r.Flush != nil {
		if err := r.Flush(); err != nil {
			return err
		}
	}
	return r.converse(conn, o.has("quiet", "ign_eof") && !o.has("no_ign_eof"))
}

func (r *Run) clientConfig(o *options, host string) (*tls.Config, error) {
	config := &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // as s_client: it says what is wrong, and goes on
		ServerName:         host, Time: func() time.Time { return r.Now },
	}
	if name := o.get("servername"); name != "" {
		config.ServerName = name
	}
	if o.has("noservername") {
		config.ServerName = ""
	}
	if o.has("tls1_2") {
		config.MaxVersion = tls.VersionTLS12
	}
	if o.has("tls1_3") {
		config.MinVersion = tls.VersionTLS13
	}
	if names := o.get("alpn"); names != "" {
		config.NextProtos = strings.Split(names, ",")
	}
	var err error
	if config.RootCAs, err = r.pool(o.values["CAfile"]); err != nil {
		return nil, err
	}
	if o.has("cert") {
		cert, err := r.readCertificate(o.get("cert"))
		if err != nil {
			return nil, err
		}
		file := o.get("key")
		if file == "" {
			file = o.get("cert")
		}
		key, err := r.readKey(file)
		if err != nil {
			return nil, err
		}
		if !samePublic(cert.PublicKey, key.Public()) {
			return nil, errors.New("the certificate of -cert and the key of -key do not match")
		}
		config.Certificates = []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}
	}
	return config, nil
}

// verdict is what is wrong with a server's certificates, in openssl's number and words; "" if nothing is.
func (r *Run) verdict(o *options, state tls.ConnectionState, roots *x509.CertPool) string {
	options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool(), CurrentTime: r.Now, DNSName: o.get("verify_hostname")}
	for _, c := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(c)
	}
	leaf := state.PeerCertificates[0]
	_, err := leaf.Verify(options)
	if err == nil {
		return ""
	}
	_, words, _ := strings.Cut(reason(leaf, err), "lookup: ")
	number := strings.TrimPrefix(strings.SplitN(reason(leaf, err), " at ", 2)[0], "error ")
	return fmt.Sprintf("num=%s:%s", number, words)
}

func sessionText(w *bytes.Buffer, o *options, state tls.ConnectionState, verdict string) {
	result, code := "Verification: OK", "0 (ok)"
	if verdict != "" {
		number, words, _ := strings.Cut(strings.TrimPrefix(verdict, "num="), ":")
		if number == "20" { // what comes of it in the end
			number, words = "21", "unable to verify the first certificate"
		}
		result, code = "Verification error: "+words, number+" ("+words+")"
	}
	leaf := state.PeerCertificates[0]
	if !o.has("brief") {
		fmt.Fprintln(w, "---\nCertificate chain")
		for i, c := range state.PeerCertificates {
			fmt.Fprintf(w, "%2d s:%s\n   i:%s\n   a:PKEY: %s; sigalg: %s\n   v:NotBefore: %s; NotAfter: %s\n", i, nameText(c.RawSubject, oneline), nameText(c.RawIssuer, oneline),
				keySize(c), shortSignature(c.SignatureAlgorithm), c.NotBefore.UTC().Format(opensslTime), c.NotAfter.UTC().Format(opensslTime))
			if o.has("showcerts") {
				_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
			}
		}
		fmt.Fprintln(w, "---\nServer certificate")
		if !o.has("showcerts") {
			_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: leaf.Raw})
		}
	}
	fmt.Fprintf(w, "subject=%s\nissuer=%s\n---\n%s\n---\n", nameText(leaf.RawSubject, oneline), nameText(leaf.RawIssuer, oneline), result)
	protocol := "No ALPN negotiated"
	if state.NegotiatedProtocol != "" {
		protocol = "ALPN protocol: " + printable(state.NegotiatedProtocol)
	}
	fmt.Fprintf(w, "New, %s, Cipher is %s\nServer public key is %s\n%s\nVerify return code: %s\n---\n",
		strings.ReplaceAll(tls.VersionName(state.Version), " ", "v"), tls.CipherSuiteName(state.CipherSuite), bitsOf(leaf), protocol, code)
}

func keySize(c *x509.Certificate) string {
	return publicAlgorithm(c.PublicKey) + ", " + strings.Replace(bitsOf(c), " bit", " (bit)", 1)
}

// shortSignature is openssl's other name of an algorithm.
func shortSignature(a x509.SignatureAlgorithm) string {
	name := signatureName(a)
	if digest, ok := strings.CutSuffix(name, "WithRSAEncryption"); ok {
		return "RSA-" + strings.ToUpper(digest)
	}
	return name
}

func bitsOf(c *x509.Certificate) string {
	switch k := c.PublicKey.(type) {
	case *rsa.PublicKey:
		return fmt.Sprintf("%d bit", k.N.BitLen())
	case *ecdsa.PublicKey:
		return fmt.Sprintf("%d bit", k.Curve.Params().BitSize)
	}
	return "256 bit"
}

// converse passes on what is typed, a line with a Q alone ends it, and what the server answers. It ends with either,
// and with the input's end unless that is ignored.
func (r *Run) converse(conn *tls.Conn, ignoreEnd bool) error {
	var done atomic.Bool
	go func() {
		in := bufio.NewReader(cmpReader(r.Typed))
		for {
			line, err := in.ReadSlice('\n')
			if !ignoreEnd && (string(line) == "Q\n" || string(line) == "Q\r\n") {
				break
			}
			if _, failed := conn.Write(line); failed != nil {
				return
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				if ignoreEnd {
					return
				}
				break
			}
		}
		done.Store(true)
		_ = conn.Close()
	}()
	buf := make([]byte, 16<<10)
	for {
		n, err := conn.Read(buf)
		if _, failed := r.Out.Write(buf[:n]); failed != nil {
			return failed
		}
		if r.Flush != nil {
			if failed := r.Flush(); failed != nil {
				return failed
			}
		}
		if err != nil {
			if done.Load() {
				r.say("DONE")
			} else {
				r.say("closed")
			}
			return nil
		}
	}
}

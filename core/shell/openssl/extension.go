package openssl

import (
	"crypto"
	"crypto/sha1" //nolint:gosec // RFC 5280 names keys by it
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"strings"
)

var (
	oidSubjectKeyID    = asn1.ObjectIdentifier{2, 5, 29, 14}
	oidKeyUsage        = asn1.ObjectIdentifier{2, 5, 29, 15}
	oidAltName         = asn1.ObjectIdentifier{2, 5, 29, 17}
	oidConstraints     = asn1.ObjectIdentifier{2, 5, 29, 19}
	oidAuthorityKeyID  = asn1.ObjectIdentifier{2, 5, 29, 35}
	oidExtKeyUsage     = asn1.ObjectIdentifier{2, 5, 29, 37}
	oidNetscapeComment = asn1.ObjectIdentifier{2, 16, 840, 1, 113730, 1, 13}
)

// usages of a key, each at the bit of its place.
var usages = []struct{ name, long string }{
	{"digitalSignature", "Digital Signature"}, {"nonRepudiation", "Non Repudiation"}, {"keyEncipherment", "Key Encipherment"},
	{"dataEncipherment", "Data Encipherment"}, {"keyAgreement", "Key Agreement"}, {"keyCertSign", "Certificate Sign"},
	{"cRLSign", "CRL Sign"}, {"encipherOnly", "Encipher Only"}, {"decipherOnly", "Decipher Only"},
}

var extendedUsages = []struct {
	name, long string
	oid        asn1.ObjectIdentifier
}{
	{"serverAuth", "TLS Web Server Authentication", asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 1}},
	{"clientAuth", "TLS Web Client Authentication", asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 2}},
	{"codeSigning", "Code Signing", asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 3}},
	{"emailProtection", "E-mail Protection", asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 4}},
	{"timeStamping", "Time Stamping", asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 8}},
	{"OCSPSigning", "OCSP Signing", asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 9}},
	{"anyExtendedKeyUsage", "Any Extended Key Usage", asn1.ObjectIdentifier{2, 5, 29, 37, 0}},
}

// issued is what extensions are made for.
type issued struct {
	public crypto.PublicKey
	issuer *x509.Certificate // nil: by itself
	config config
}

// extensions makes those of a list of lines, as x509v3_config(5ssl) has them. A later one replaces an earlier one.
func (i *issued) extensions(lines []entry) ([]pkix.Extension, error) {
	var all []pkix.Extension
	for _, line := range lines {
		e, err := i.extension(line.key, line.value)
		if err != nil {
			return nil, fmt.Errorf("the extension %.60s = %.100s: %w", line.key, line.value, err)
		}
		if e != nil {
			all = replace(all, *e)
		}
	}
	return all, nil
}

func replace(all []pkix.Extension, e pkix.Extension) []pkix.Extension {
	for i := range all {
		if all[i].Id.Equal(e.Id) {
			all[i] = e
			return all
		}
	}
	return append(all, e)
}

func hasExtension(all []pkix.Extension, id asn1.ObjectIdentifier) bool {
	for _, e := range all {
		if e.Id.Equal(id) {
			return true
		}
	}
	return false
}

// extension makes one; nil where it is said that there shall be none.
func (i *issued) extension(key, value string) (*pkix.Extension, error) {
	words := strings.Split(value, ",")
	for n := range words {
		words[n] = strings.TrimSpace(words[n])
	}
	e := &pkix.Extension{}
	if words[0] == "critical" {
		e.Critical, words = true, words[1:]
	}
	var err error
	switch key {
	case "basicConstraints":
		e.Id = oidConstraints
		e.Value, err = constraints(words)
	case "keyUsage":
		e.Id = oidKeyUsage
		e.Value, err = keyUsage(words)
	case "extendedKeyUsage":
		e.Id = oidExtKeyUsage
		e.Value, err = extendedKeyUsage(words)
	case "subjectAltName":
		e.Id = oidAltName
		e.Value, err = i.altNames(words)
	case "subjectKeyIdentifier":
		if words[0] == "none" {
			return nil, nil
		}
		e.Id = oidSubjectKeyID
		e.Value, err = subjectKeyID(i.public)
	case "authorityKeyIdentifier":
		if words[0] == "none" {
			return nil, nil
		}
		e.Id = oidAuthorityKeyID
		e.Value, err = i.authorityKeyID(words)
	case "nsComment":
		e.Id = oidNetscapeComment
		e.Value, err = asn1.MarshalWithParams(strings.Trim(value, `"`), "ia5")
	default:
		err = errors.New("it is not known here; there is basicConstraints, keyUsage, extendedKeyUsage, subjectAltName, subjectKeyIdentifier, authorityKeyIdentifier and nsComment")
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// basicConstraints of RFC 5280.
type basicConstraints struct {
	CA      bool `asn1:"optional"`
	PathLen int  `asn1:"optional,default:-1"`
}

func constraints(words []string) ([]byte, error) {
	c := basicConstraints{PathLen: -1}
	for _, w := range words {
		name, value, _ := strings.Cut(w, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "CA":
			switch strings.ToLower(value) {
			case "true", "yes", "y", "1":
				c.CA = true
			case "false", "no", "n", "0":
			default:
				return nil, errors.New("CA is TRUE or FALSE")
			}
		case "pathlen":
			n, err := number("pathlen", value, 0, 100)
			if err != nil {
				return nil, err
			}
			c.PathLen = n
		default:
			return nil, errors.New("it is CA:TRUE or CA:FALSE, and pathlen:N")
		}
	}
	return asn1.Marshal(c)
}

func keyUsage(words []string) ([]byte, error) {
	bits, last := [2]byte{}, -1
	for _, w := range words {
		at := -1
		for n, u := range usages {
			if w == u.name || w == u.long {
				at = n
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("there is no usage %.60q; there is digitalSignature, keyEncipherment, keyCertSign and others", w)
		}
		bits[at/8] |= 0x80 >> (at % 8)
		last = max(last, at)
	}
	return asn1.Marshal(asn1.BitString{Bytes: bits[:last/8+1], BitLength: last + 1})
}

func extendedKeyUsage(words []string) ([]byte, error) {
	var ids []asn1.ObjectIdentifier
next:
	for _, w := range words {
		for _, u := range extendedUsages {
			if w == u.name {
				ids = append(ids, u.oid)
				continue next
			}
		}
		id, err := parseOID(w)
		if err != nil {
			return nil, fmt.Errorf("there is no usage %.60q; there is serverAuth, clientAuth and others", w)
		}
		ids = append(ids, id)
	}
	return asn1.Marshal(ids)
}

// Tags of a GeneralName.
const (
	tagEmail = 1
	tagDNS   = 2
	tagDir   = 4
	tagURI   = 6
	tagIP    = 7
)

// maxAltNames is how many names a certificate may have beside its subject's.
const maxAltNames = 1000

func (i *issued) altNames(words []string) ([]byte, error) {
	var given []entry
	for _, w := range words {
		if section, ok := strings.CutPrefix(w, "@"); ok {
			lines, ok := i.config[section]
			if !ok {
				return nil, fmt.Errorf("there is no section [ %.60s ]", section)
			}
			given = append(given, lines...)
			continue
		}
		kind, value, _ := strings.Cut(w, ":")
		given = append(given, entry{key: kind, value: value})
	}
	if len(given) > maxAltNames {
		return nil, fmt.Errorf("there are more than %d names", maxAltNames)
	}
	var names []asn1.RawValue
	for _, g := range given {
		kind, _, _ := strings.Cut(strings.TrimSpace(g.key), ".") // DNS.1
		value := strings.TrimSpace(g.value)
		raw := asn1.RawValue{Class: asn1.ClassContextSpecific, Bytes: []byte(value)}
		switch kind {
		case "DNS":
			raw.Tag = tagDNS
		case "email":
			raw.Tag = tagEmail
		case "URI":
			raw.Tag = tagURI
			if _, err := url.Parse(value); err != nil {
				return nil, fmt.Errorf("%.100q is no address: %w", value, err)
			}
		case "IP":
			raw.Tag = tagIP
			ip := net.ParseIP(value)
			if v4 := ip.To4(); v4 != nil {
				ip = v4
			}
			if raw.Bytes = ip; ip == nil {
				return nil, fmt.Errorf("%.60q is no IP address", value)
			}
		default:
			return nil, fmt.Errorf("names are DNS, IP, URI or email, and not %.60q", kind)
		}
		if value == "" {
			return nil, fmt.Errorf("the name %s is empty", kind)
		}
		names = append(names, raw)
	}
	if len(names) == 0 {
		return nil, errors.New("no name is given")
	}
	return asn1.Marshal(names)
}

// keyID names a public key as RFC 5280, 4.2.1.2 (1) has it.
func keyID(public crypto.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(der, &info); err != nil {
		return nil, err
	}
	sum := sha1.Sum(info.Key.Bytes) //nolint:gosec // see above
	return sum[:], nil
}

func subjectKeyID(public crypto.PublicKey) ([]byte, error) {
	id, err := keyID(public)
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(id)
}

// authorityKeyID of RFC 5280.
type authorityKeyID struct {
	ID     []byte        `asn1:"optional,tag:0"`
	Issuer asn1.RawValue `asn1:"optional"`
	Serial *big.Int      `asn1:"optional,tag:2"`
}

func (i *issued) authorityKeyID(words []string) ([]byte, error) {
	var a authorityKeyID
	var err error
	if i.issuer == nil {
		a.ID, err = keyID(i.public)
	} else if a.ID = i.issuer.SubjectKeyId; a.ID == nil {
		a.ID, err = keyID(i.issuer.PublicKey)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range words {
		switch w {
		case "keyid", "keyid:always":
		case "issuer":
			// Only where the key has no name of its own, and it has one.
		case "issuer:always":
			if i.issuer != nil {
				directory := asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tagDir, IsCompound: true, Bytes: i.issuer.RawIssuer}
				raw, err := asn1.Marshal(directory)
				if err != nil {
					return nil, err
				}
				a.Issuer = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 1, IsCompound: true, Bytes: raw}
				a.Serial = i.issuer.SerialNumber
			}
		default:
			return nil, errors.New("it is keyid, keyid:always, issuer and issuer:always")
		}
	}
	return asn1.Marshal(a)
}

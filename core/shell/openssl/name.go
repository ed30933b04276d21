package openssl

import (
	"encoding/asn1"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"crypto/x509/pkix"
)

// attributes of names, by their short and long forms.
var attributes = []struct {
	short, long string
	oid         asn1.ObjectIdentifier
}{
	{"C", "countryName", asn1.ObjectIdentifier{2, 5, 4, 6}},
	{"ST", "stateOrProvinceName", asn1.ObjectIdentifier{2, 5, 4, 8}},
	{"L", "localityName", asn1.ObjectIdentifier{2, 5, 4, 7}},
	{"O", "organizationName", asn1.ObjectIdentifier{2, 5, 4, 10}},
	{"OU", "organizationalUnitName", asn1.ObjectIdentifier{2, 5, 4, 11}},
	{"CN", "commonName", asn1.ObjectIdentifier{2, 5, 4, 3}},
	{"emailAddress", "emailAddress", asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 1}},
	{"serialNumber", "serialNumber", asn1.ObjectIdentifier{2, 5, 4, 5}},
	{"SN", "surname", asn1.ObjectIdentifier{2, 5, 4, 4}},
	{"GN", "givenName", asn1.ObjectIdentifier{2, 5, 4, 42}},
	{"street", "streetAddress", asn1.ObjectIdentifier{2, 5, 4, 9}},
	{"postalCode", "postalCode", asn1.ObjectIdentifier{2, 5, 4, 17}},
	{"title", "title", asn1.ObjectIdentifier{2, 5, 4, 12}},
	{"DC", "domainComponent", asn1.ObjectIdentifier{0, 9, 2342, 19200300, 100, 1, 25}},
	{"UID", "userId", asn1.ObjectIdentifier{0, 9, 2342, 19200300, 100, 1, 1}},
}

// maxName is how long one value of a name may be, in bytes.
const maxName = 1024

// subject reads a name as -subj has it: /CN=jane/O=dev, a backslash before what would end a value.
func subject(text string) ([]byte, error) {
	if !strings.HasPrefix(text, "/") {
		return nil, fmt.Errorf("the subject is expected as /CN=jane/O=dev, with a backslash before a slash that belongs to a value, and is %.100q", text)
	}
	var names pkix.RDNSequence
	var part strings.Builder
	together := false // with the one before: type0=value0+type1=value1
	end := func(plus bool) error {
		given := part.String()
		part.Reset()
		key, value, ok := strings.Cut(given, "=")
		if !ok {
			return fmt.Errorf("the subject's part %.60q lacks a type, as in /CN=%.60s", given, given)
		}
		attribute, err := attribute(key, value)
		if err != nil {
			return err
		}
		switch {
		case value == "": // openssl leaves it out, too
		case together && len(names) > 0:
			names[len(names)-1] = append(names[len(names)-1], attribute)
		default:
			names = append(names, pkix.RelativeDistinguishedNameSET{attribute})
		}
		together = plus
		return nil
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			part.WriteByte(text[i])
		case c == '/' || c == '+':
			if err := end(c == '+'); err != nil {
				return nil, err
			}
		default:
			part.WriteByte(c)
		}
	}
	if part.Len() > 0 {
		if err := end(false); err != nil {
			return nil, err
		}
	}
	return asn1.Marshal(names)
}

func attribute(key, value string) (pkix.AttributeTypeAndValue, error) {
	if len(value) > maxName || !utf8.ValidString(value) {
		return pkix.AttributeTypeAndValue{}, fmt.Errorf("the value of %.60q is longer than %d bytes, or no UTF-8", key, maxName)
	}
	for _, a := range attributes {
		if key != a.short && key != a.long {
			continue
		}
		tag := asn1.TagUTF8String
		switch a.short {
		case "C", "serialNumber":
			tag = asn1.TagPrintableString
		case "emailAddress", "DC":
			tag = asn1.TagIA5String
		}
		if a.short == "C" && value != "" && len(value) != 2 {
			return pkix.AttributeTypeAndValue{}, fmt.Errorf("a country has two letters, and not %.60q", value)
		}
		return pkix.AttributeTypeAndValue{Type: a.oid, Value: asn1.RawValue{Class: asn1.ClassUniversal, Tag: tag, Bytes: []byte(value)}}, nil
	}
	if oid, err := parseOID(key); err == nil {
		return pkix.AttributeTypeAndValue{Type: oid, Value: asn1.RawValue{Class: asn1.ClassUniversal, Tag: asn1.TagUTF8String, Bytes: []byte(value)}}, nil
	}
	return pkix.AttributeTypeAndValue{}, fmt.Errorf("names have no part %.60q; there is C, ST, L, O, OU, CN, emailAddress and others", key)
}

var errOID = errors.New("no object identifier")

func parseOID(text string) (asn1.ObjectIdentifier, error) {
	var oid asn1.ObjectIdentifier
	for part := range strings.SplitSeq(text, ".") {
		n, err := number("", part, 0, 1<<30)
		if err != nil || len(oid) > 30 {
			return nil, errOID
		}
		oid = append(oid, n)
	}
	if len(oid) < 2 || oid[0] > 2 {
		return nil, errOID
	}
	return oid, nil
}

// forms in which a name is shown.
type form int

const (
	oneline form = iota // CN = jane, O = dev
	rfc2253             // O=dev,CN=jane
	compat              // /CN=jane/O=dev
)

// nameText shows an encoded name.
func nameText(raw []byte, f form) string {
	var names pkix.RDNSequence
	if rest, err := asn1.Unmarshal(raw, &names); err != nil || len(rest) > 0 {
		return "(not a name)"
	}
	var parts []string
	for _, set := range names {
		var together []string
		for _, a := range set {
			key, value := a.Type.String(), fmt.Sprint(a.Value)
			for _, known := range attributes {
				if a.Type.Equal(known.oid) {
					key = known.short
				}
			}
			switch f {
			case oneline:
				together = append(together, key+" = "+quoted(value))
			case rfc2253:
				together = append(together, key+"="+escaped(value))
			case compat:
				together = append(together, key+"="+printable(value))
			}
		}
		parts = append(parts, strings.Join(together, map[form]string{oneline: " + ", rfc2253: "+", compat: "+"}[f]))
	}
	switch f {
	case rfc2253:
		for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
			parts[i], parts[j] = parts[j], parts[i]
		}
		return strings.Join(parts, ",")
	case compat:
		if len(parts) == 0 {
			return ""
		}
		return "/" + strings.Join(parts, "/")
	}
	return strings.Join(parts, ", ")
}

// quoted puts a value between quotes if its letters mean something in a name.
func quoted(value string) string {
	value = escapeControl(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value))
	if strings.ContainsAny(value, `,+<>;`) || strings.HasPrefix(value, "#") || value != strings.Trim(value, " ") {
		return `"` + value + `"`
	}
	return value
}

// escaped puts a backslash before letters that mean something in a name.
func escaped(value string) string {
	value = strings.NewReplacer(`\`, `\\`, `"`, `\"`, ",", `\,`, "+", `\+`, "<", `\<`, ">", `\>`, ";", `\;`).Replace(value)
	if strings.HasPrefix(value, "#") || strings.HasPrefix(value, " ") {
		value = `\` + value
	}
	if body, ok := strings.CutSuffix(value, " "); ok && body != "" {
		value = body + `\ `
	}
	return escapeControl(value)
}

// escapeControl shows what is not plain ASCII as openssl does, byte by byte: a certificate's name tells the terminal nothing.
func escapeControl(value string) string {
	var out strings.Builder
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' {
			fmt.Fprintf(&out, `\%02X`, c)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

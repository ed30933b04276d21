package openssl

import (
	"bytes"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// extensionNames are the names of extensions, and those that -ext knows them by.
var extensionNames = []struct {
	id          asn1.ObjectIdentifier
	name, title string
}{
	{oidSubjectKeyID, "subjectKeyIdentifier", "X509v3 Subject Key Identifier"},
	{oidKeyUsage, "keyUsage", "X509v3 Key Usage"},
	{oidAltName, "subjectAltName", "X509v3 Subject Alternative Name"},
	{oidConstraints, "basicConstraints", "X509v3 Basic Constraints"},
	{oidAuthorityKeyID, "authorityKeyIdentifier", "X509v3 Authority Key Identifier"},
	{oidExtKeyUsage, "extendedKeyUsage", "X509v3 Extended Key Usage"},
	{oidNetscapeComment, "nsComment", "Netscape Comment"},
}

// someExtensions shows those that are named.
func someExtensions(w *bytes.Buffer, all []pkix.Extension, names []string) error {
	wanted := map[string]bool{}
	for _, name := range names {
		known := false
		for _, k := range extensionNames {
			known = known || k.name == name
		}
		if !known {
			return fmt.Errorf("-ext %.60q is not known here; there is subjectAltName, keyUsage, extendedKeyUsage, basicConstraints and others", name)
		}
		wanted[name] = true
	}
	shown := false
	for _, e := range all {
		for _, k := range extensionNames {
			if wanted[k.name] && e.Id.Equal(k.id) {
				extensionText(w, e, "", "    ")
				shown = true
			}
		}
	}
	if !shown {
		fmt.Fprintln(w, "No extensions matching the names are in it.")
	}
	return nil
}

// extensionText shows an extension: its title after one indent, what it says after another.
func extensionText(w *bytes.Buffer, e pkix.Extension, indent, more string) {
	title := e.Id.String()
	for _, k := range extensionNames {
		if e.Id.Equal(k.id) {
			title = k.title
		}
	}
	critical := ""
	if e.Critical {
		critical = "critical"
	}
	fmt.Fprintf(w, "%s%s: %s\n", indent, title, critical)
	lines, err := extensionLines(e)
	if err != nil { // as openssl shows what it does not know
		lines = []string{dots(e.Value)}
	}
	for _, line := range lines {
		fmt.Fprintln(w, more+line)
	}
}

// dots shows bytes as ASCII, and as a point what is none.
func dots(data []byte) string {
	return string(bytes.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '.'
		}
		return r
	}, bytes.ToValidUTF8(data, []byte("."))))
}

var errUnknown = errors.New("not known here")

func extensionLines(e pkix.Extension) ([]string, error) {
	switch {
	case e.Id.Equal(oidSubjectKeyID):
		var id []byte
		if err := unmarshal(e.Value, &id); err != nil {
			return nil, err
		}
		return []string{colons(id)}, nil
	case e.Id.Equal(oidAuthorityKeyID):
		return authorityLines(e.Value)
	case e.Id.Equal(oidConstraints):
		c := basicConstraints{PathLen: -1}
		if err := unmarshal(e.Value, &c); err != nil {
			return nil, err
		}
		text := "CA:" + strings.ToUpper(fmt.Sprint(c.CA))
		if c.PathLen >= 0 {
			text += fmt.Sprintf(", pathlen:%d", c.PathLen)
		}
		return []string{text}, nil
	case e.Id.Equal(oidKeyUsage):
		var bits asn1.BitString
		if err := unmarshal(e.Value, &bits); err != nil {
			return nil, err
		}
		var said []string
		for i, u := range usages {
			if bits.At(i) == 1 {
				said = append(said, u.long)
			}
		}
		return []string{strings.Join(said, ", ")}, nil
	case e.Id.Equal(oidExtKeyUsage):
		var ids []asn1.ObjectIdentifier
		if err := unmarshal(e.Value, &ids); err != nil {
			return nil, err
		}
		var said []string
		for _, id := range ids {
			name := id.String()
			for _, u := range extendedUsages {
				if id.Equal(u.oid) {
					name = u.long
				}
			}
			said = append(said, name)
		}
		return []string{strings.Join(said, ", ")}, nil
	case e.Id.Equal(oidAltName):
		names, err := generalNames(e.Value)
		return []string{strings.Join(names, ", ")}, err
	case e.Id.Equal(oidNetscapeComment):
		var text string
		if err := unmarshal(e.Value, &text); err != nil {
			return nil, err
		}
		return []string{printable(text)}, nil
	}
	return nil, errUnknown
}

func unmarshal(data []byte, to any) error {
	rest, err := asn1.Unmarshal(data, to)
	if err == nil && len(rest) > 0 {
		err = errUnknown
	}
	return err
}

func authorityLines(data []byte) ([]string, error) {
	var parts []asn1.RawValue // the issuer's name is a list behind a tag of its own
	if err := unmarshal(data, &parts); err != nil {
		return nil, err
	}
	if len(parts) == 1 && parts[0].Tag == 0 {
		return []string{colons(parts[0].Bytes)}, nil
	}
	var lines []string
	for _, p := range parts {
		switch p.Tag {
		case 0:
			lines = append(lines, "keyid:"+colons(p.Bytes))
		case 1:
			var directory asn1.RawValue
			if err := unmarshal(p.Bytes, &directory); err != nil {
				return nil, err
			}
			lines = append(lines, "DirName:"+nameText(directory.Bytes, compat))
		case 2:
			lines = append(lines, "serial:"+colons(p.Bytes))
		}
	}
	return lines, nil
}

// generalNames shows the names of a subjectAltName.
func generalNames(data []byte) ([]string, error) {
	var all []asn1.RawValue
	if err := unmarshal(data, &all); err != nil {
		return nil, err
	}
	var said []string
	for _, n := range all {
		switch n.Tag {
		case tagDNS:
			said = append(said, "DNS:"+printable(string(n.Bytes)))
		case tagEmail:
			said = append(said, "email:"+printable(string(n.Bytes)))
		case tagURI:
			said = append(said, "URI:"+printable(string(n.Bytes)))
		case tagDir:
			said = append(said, "DirName:"+nameText(n.Bytes, oneline))
		case tagIP:
			said = append(said, "IP Address:"+addressText(n.Bytes))
		default:
			said = append(said, "othername: <unsupported>")
		}
	}
	return said, nil
}

// addressText shows an address, the new kind as openssl does: eight groups, none left out.
func addressText(data []byte) string {
	a, ok := netip.AddrFromSlice(data)
	switch {
	case !ok:
		return "<invalid>"
	case a.Is4():
		return a.String()
	}
	var groups []string
	for i := 0; i < len(data); i += 2 {
		groups = append(groups, fmt.Sprintf("%X", int(data[i])<<8|int(data[i+1])))
	}
	return strings.Join(groups, ":")
}

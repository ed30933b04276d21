package shares

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// The bounds of web/share/pack.ts.
const (
	maxPacked = 65_536  // characters
	maxText   = 524_288 // bytes, unpacked
)

// check says why a text is nothing that the page has packed. It keeps this from becoming a place for
// whatever somebody wants to lie somewhere; what is in the manifest is for the reader to judge.
func check(packed string) error {
	if packed == "" || len(packed) > maxPacked {
		return errors.New("it is empty or too long")
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(packed)
	// The decoder passes over the ends of lines, which an address has none of.
	if err != nil || strings.ContainsAny(packed, "\r\n") {
		return errors.New("it is not base64 for addresses")
	}
	in := bytes.NewReader(data)
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(in), maxText+1))
	switch {
	case err != nil || in.Len() > 0:
		return errors.New("it is not compressed, or not whole")
	case len(text) > maxText:
		return errors.New("it is too long once unpacked")
	case len(text) == 0 || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return errors.New("it is no text")
	}
	return nil
}

// nameOf is a text's name: 96 bits of its digest, so that what is shared twice lies here once, and nobody
// finds what they do not have the link of.
func nameOf(packed string) string {
	sum := sha256.Sum256([]byte(packed))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

package openssl

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // people ask for it
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // people ask for it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strings"
)

type digest struct {
	shown string
	make  func() hash.Hash
}

// digests by the names that are options and commands.
var digests = map[string]*digest{
	"md5": {"MD5", md5.New}, "sha1": {"SHA1", sha1.New}, "sha224": {"SHA2-224", sha256.New224}, "sha256": {"SHA2-256", sha256.New},
	"sha384": {"SHA2-384", sha512.New384}, "sha512": {"SHA2-512", sha512.New},
}

// digestCommand is dgst, and sha256 and its like.
func digestCommand(_ context.Context, r *Run, args []string) error {
	o, err := parse(args, "hex", "binary", "r", "c", "out=", "hmac=")
	if err != nil {
		return err
	}
	name := o.get("digest")
	if name == "" {
		if name = args[0]; name == "dgst" {
			name = "sha256"
		}
	}
	d := digests[name]
	if len(o.args) == 0 {
		o.args = []string{""}
	}
	var out bytes.Buffer
	for _, file := range o.args {
		data, err := r.read(file)
		if err != nil {
			return err
		}
		h, title := d.make(), d.shown
		if o.has("hmac") {
			h = hmac.New(d.make, []byte(o.get("hmac")))
		}
		h.Write(data)
		sum, shown := h.Sum(nil), file
		if shown == "" {
			shown = "stdin"
		} else if o.has("hmac") {
			title = "HMAC-" + title
		}
		switch {
		case o.has("binary"):
			out.Write(sum)
		case o.has("r"):
			fmt.Fprintf(&out, "%x *%s\n", sum, shown)
		case o.has("c"):
			fmt.Fprintf(&out, "%s(%s)= %s\n", title, shown, strings.ToLower(colons(sum)))
		default:
			fmt.Fprintf(&out, "%s(%s)= %x\n", title, shown, sum)
		}
	}
	return r.write(o.get("out"), false, out.Bytes())
}

// random is rand: so many random bytes.
func random(_ context.Context, r *Run, args []string) error {
	o, err := parse(args, "hex", "base64", "out=")
	if err != nil {
		return err
	}
	if len(o.args) != 1 {
		return errors.New("say how many bytes: openssl rand -hex 16")
	}
	n, err := number("the number of bytes", o.args[0], 1, maxInput)
	if err != nil {
		return err
	}
	data := make([]byte, n)
	if _, err := rand.Read(data); err != nil {
		return err
	}
	switch {
	case o.has("hex"):
		data = []byte(hex.EncodeToString(data) + "\n")
	case o.has("base64"):
		data = wrapped(data, false)
	}
	return r.write(o.get("out"), false, data)
}

// base64Command is base64, and enc -base64; it encrypts nothing.
func base64Command(_ context.Context, r *Run, args []string) error {
	o, err := parse(args, "d", "e", "A", "a", "base64", "in=", "out=")
	if err != nil {
		return err
	}
	if args[0] == "enc" && !o.has("a", "base64") {
		return errors.New("there are no ciphers here: enc is for -base64")
	}
	if len(o.args) > 0 {
		return o.none()
	}
	data, err := r.read(o.get("in"))
	if err != nil {
		return err
	}
	if !o.has("d") {
		return r.write(o.get("out"), false, wrapped(data, o.has("A")))
	}
	plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(data)), ""))
	if err != nil {
		return fmt.Errorf("%s is not base64: %w", shown(o.get("in")), err)
	}
	return r.write(o.get("out"), false, plain)
}

// wrapped is base64 in lines of 64 letters, or in one without an end.
func wrapped(data []byte, one bool) []byte {
	text := base64.StdEncoding.EncodeToString(data)
	if one {
		return []byte(text)
	}
	var out bytes.Buffer
	const width = 64
	for len(text) > 0 {
		n := min(width, len(text))
		out.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return out.Bytes()
}

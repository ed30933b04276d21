package main

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/shell/openssl"
	"github.com/tabernetes/tabernetes/wasm/jsx"
)

// Go's search for the primes of a key takes seconds here, in which the whole cluster stands still. The browser searches
// beside it where it lets a page do so, which is in a secure context.
func init() {
	alone := openssl.GenerateRSA
	openssl.GenerateRSA = func(ctx context.Context, bits int) (*rsa.PrivateKey, error) {
		key, err := browserRSA(ctx, bits)
		if err != nil && ctx.Err() == nil {
			return alone(ctx, bits)
		}
		return key, err
	}
}

// browserRSA has WebCrypto make a key of so many bits.
func browserRSA(ctx context.Context, bits int) (*rsa.PrivateKey, error) {
	crypto, err := jsx.Global("crypto")
	if err != nil {
		return nil, err
	}
	subtle, err := jsx.Field(crypto, "subtle")
	if err != nil {
		return nil, err
	}
	algorithm, _, err := jsx.ToJS(map[string]any{
		"name": "RSASSA-PKCS1-v1_5", "modulusLength": bits, "publicExponent": []byte{1, 0, 1}, "hash": "SHA-256",
	})
	if err != nil {
		return nil, err
	}
	usages, _, err := jsx.ToJS([]any{"sign", "verify"})
	if err != nil {
		return nil, err
	}
	promise, err := subtle.Call("generateKey", algorithm, true, usages)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	pair, err := jsx.Await(ctx, promise)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	private, err := jsx.Field(pair, "privateKey")
	if err != nil {
		return nil, err
	}
	if promise, err = subtle.Call("exportKey", "pkcs8", private); err != nil {
		return nil, fmt.Errorf("read a key: %w", err)
	}
	buffer, err := jsx.Await(ctx, promise)
	if err != nil {
		return nil, fmt.Errorf("read a key: %w", err)
	}
	class, err := jsx.Global("Uint8Array")
	if err != nil {
		return nil, err
	}
	view, err := class.New(buffer)
	if err != nil {
		return nil, fmt.Errorf("read a key: %w", err)
	}
	der, err := jsx.Bytes(view)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok || key.N.BitLen() != bits {
		return nil, errors.New("the browser made another key")
	}
	return key, nil
}

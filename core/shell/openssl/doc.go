// Package openssl is what people type of OpenSSL's command when they make and read certificates: keys (genrsa, genpkey,
// ecparam, rsa, ec, pkey), requests (req), certificates (x509, verify), a look at a server (s_client), and rand, dgst,
// base64 and version. Options, configuration files and what is printed follow OpenSSL 3.0's manual pages; keys and
// signatures are made by Go's crypto packages.
//
// What is read has an end (maxInput). Keys are kept as they are: there are no passphrases.
//
// It may import the standard library only.
package openssl

package openssl

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"
)

// Run is one call of the command: its arguments, streams and files.
type Run struct {
	Args     []string // without the command's own name
	In       io.Reader
	Out, Err io.Writer
	// Typed is In for who reads it while something is written; Flush is called when that is to be seen. Both may be nil.
	Typed io.Reader
	Flush func() error
	// Open opens a file for reading.
	Open func(name string) (io.ReadCloser, error)
	// Create makes a file, or empties it; a private one is for its owner only.
	Create func(name string, private bool) (io.WriteCloser, error)
	// Dial connects to HOST:PORT; nil where there is no network.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	Now  time.Time
}

// GenerateRSA makes a key of so many bits. Who knows a way that leaves others their turn puts it here: the tab's browser
// has one.
var GenerateRSA = func(_ context.Context, bits int) (*rsa.PrivateKey, error) {
	return rsa.GenerateKey(rand.Reader, bits)
}

// Version is what `openssl version` says: whose options and forms these are.
const Version = "OpenSSL 3.0 (its forms, by Go's crypto)"

// maxInput is how much of a file is read at most, in bytes.
const maxInput = 1 << 20

// commands are the subcommands by name.
var commands map[string]func(ctx context.Context, r *Run, args []string) error

func init() {
	commands = map[string]func(ctx context.Context, r *Run, args []string) error{
		"genrsa": genRSA, "genpkey": genPKey, "ecparam": ecParam,
		"rsa": pkeyCommand, "ec": pkeyCommand, "pkey": pkeyCommand,
		"req": req, "x509": x509Command, "verify": verify, "s_client": client,
		"rand": random, "base64": base64Command, "enc": base64Command, "dgst": digestCommand,
		"version": func(_ context.Context, r *Run, _ []string) error {
			_, err := fmt.Fprintln(r.Out, Version)
			return err
		},
	}
	for name := range digests {
		commands[name] = digestCommand
	}
}

// errSaid ends a command with code 1: what went wrong is told already.
var errSaid = errors.New("said")

// errVerify ends a command with code 2, as verify does.
var errVerify = errors.New("verification failed")

// Main runs the command and gives its exit code: 0; 1 if something went wrong; 2 if a certificate is not trusted.
func Main(ctx context.Context, r *Run) int {
	if len(r.Args) == 0 || r.Args[0] == "help" || r.Args[0] == "-help" || r.Args[0] == "--help" {
		fmt.Fprintf(r.Err, "openssl: there is %s\n", strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
		return 0
	}
	name := r.Args[0]
	command, ok := commands[name]
	if !ok {
		fmt.Fprintf(r.Err, "openssl: there is no %.60q here; there is %s\n", name, strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
		return 1
	}
	err := command(ctx, r, r.Args)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errVerify):
		return 2
	case !errors.Is(err, errSaid):
		fmt.Fprintf(r.Err, "openssl %s: %v\n", name, err)
	}
	return 1
}

// read gives a file's content, or standard input's for "" and "-".
func (r *Run) read(name string) ([]byte, error) {
	in := r.In
	if name != "" && name != "-" {
		f, err := r.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", name, err)
		}
		defer f.Close()
		in = f
	}
	if in == nil {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", shown(name), err)
	case len(data) > maxInput:
		return nil, fmt.Errorf("read %s: it is longer than %d KiB", shown(name), maxInput>>10)
	}
	return data, nil
}

func shown(name string) string {
	if name == "" || name == "-" {
		return "standard input"
	}
	return name
}

// write puts data into a file, or to standard output for "" and "-".
func (r *Run) write(name string, private bool, data []byte) error {
	if name == "" || name == "-" {
		_, err := r.Out.Write(data)
		return err
	}
	f, err := r.Create(name, private)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// say tells something beside the output, as openssl does on standard error.
func (r *Run) say(format string, args ...any) { fmt.Fprintf(r.Err, format+"\n", args...) }

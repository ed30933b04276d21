package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// serve serves archives as a registry until ctx is done; an image REGISTRY/PATH:TAG is found at
// PATH:TAG. It prints "ready ADDRESS" to out.
func serve(ctx context.Context, listen string, archives []string, out io.Writer) error {
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("listen for the registry: %w", err)
	}
	server := &http.Server{Handler: registry.New(registry.Logger(log.New(io.Discard, "", 0)))}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	for _, a := range archives {
		if err := push(ctx, a, ln.Addr().String()); err != nil {
			_ = server.Close()
			return fmt.Errorf("serve %s: %w", a, err)
		}
	}
	fmt.Fprintf(out, "ready %s\n", ln.Addr())
	if err := <-done; ctx.Err() == nil {
		return err
	}
	return nil
}

// push puts every tag of an archive into the registry at address.
func push(ctx context.Context, archive, address string) error {
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(archive) })
	if err != nil {
		return err
	}
	for _, m := range manifest {
		for _, t := range m.RepoTags {
			tag, err := name.NewTag(t)
			if err != nil {
				return err
			}
			img, err := tarball.ImageFromPath(archive, &tag)
			if err != nil {
				return err
			}
			to, err := name.NewTag(address+"/"+tag.RepositoryStr()+":"+tag.TagStr(), name.Insecure)
			if err != nil {
				return err
			}
			if err := remote.Write(to, img, remote.WithContext(ctx)); err != nil {
				return err
			}
		}
	}
	return nil
}

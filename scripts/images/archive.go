package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// versionLabel makes an image of each tag, as upstream's are: a runtime shows one name for an image,
// and tests of updates compare it.
const versionLabel = "org.opencontainers.image.version"

// write makes images of one layer, one for each tag but "latest", and writes them as a docker
// archive, whole or not at all.
func write(archive string, root *tree, r recipe) error {
	layerBytes, err := root.tar()
	if err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(layerBytes)), nil
	}, tarball.WithCompressionLevel(gzip.BestSpeed), tarball.WithCompressedCaching)
	if err != nil {
		return fmt.Errorf("make the layer: %w", err)
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return fmt.Errorf("make the image: %w", err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		return fmt.Errorf("make the image: %w", err)
	}
	tags := map[name.Tag]v1.Image{}
	for _, t := range r.tags {
		tag, err := name.NewTag(t)
		if err != nil {
			return err
		}
		file := file.DeepCopy()
		file.OS, file.Architecture, file.Config = "linux", runtime.GOARCH, r.config
		if tag.TagStr() != "latest" {
			file.Config.Labels = map[string]string{versionLabel: tag.TagStr()}
		}
		if tags[tag], err = mutate.ConfigFile(img, file); err != nil {
			return fmt.Errorf("make the image: %w", err)
		}
	}
	if err := tarball.MultiWriteToFile(archive+".part", tags); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return os.Rename(archive+".part", archive)
}

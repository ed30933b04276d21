package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

// manifest is Manifest in web/worker/manifest.ts.
type manifest struct {
	Wasm wasmFile `json:"wasm"`
	Exec execFile `json:"exec"`
}

type wasmFile struct {
	URL  string `json:"url"`
	Size int64  `json:"size"` // bytes
	// Brotli is the size in bytes of URL + ".br"; 0 if there is none.
	Brotli int64 `json:"br,omitempty"`
	// Quality is the one it was compressed with.
	Quality int `json:"brQuality,omitempty"`
}

type execFile struct {
	URL string `json:"url"`
}

func (b *build) manifestFile() string { return filepath.Join(b.assets, "manifest.json") }

// publish copies the module and wasm_exec.js under names that hold their hash, so that they can
// be cached for ever, removes those of earlier builds, and writes the manifest last.
func (b *build) publish(brotli int) (manifest, error) {
	var m manifest
	module, size, err := b.copyHashed(b.module(), "tabernetes", ".wasm", func(content []byte) ([]byte, error) {
		content, err := withGlobalsExported(content)
		if err != nil {
			return nil, err
		}
		return withInitialMemory(content, initialMemory)
	})
	if err != nil {
		return m, err
	}
	m.Wasm = wasmFile{URL: module, Size: size}
	if m.Exec.URL, _, err = b.copyHashed(filepath.Join(b.dirs.GOROOT, "lib", "wasm", "wasm_exec.js"), "wasm_exec", ".js", nil); err != nil {
		return m, err
	}
	if brotli > 0 {
		if err := step("brotli "+strconv.Itoa(brotli), func() (string, error) {
			m.Wasm.Quality = brotli
			m.Wasm.Brotli, err = b.compress(module, brotli)
			return megabytes(m.Wasm.Brotli), err
		}); err != nil {
			return m, err
		}
	}
	if err := b.clean(module, module+".br", m.Exec.URL); err != nil {
		return m, err
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return m, err
	}
	return m, os.WriteFile(b.manifestFile(), append(text, '\n'), 0o644)
}

// copyHashed copies a file to the assets as name.HASH.ext, through change if that is not nil.
func (b *build) copyHashed(file, name, ext string, change func([]byte) ([]byte, error)) (url string, size int64, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", 0, fmt.Errorf("publish: %w", err)
	}
	if change != nil {
		if content, err = change(content); err != nil {
			return "", 0, fmt.Errorf("publish %s: %w", file, err)
		}
	}
	if err := os.MkdirAll(b.assets, 0o755); err != nil {
		return "", 0, fmt.Errorf("publish: %w", err)
	}
	url = name + "." + overlay.Hash(content)[:12] + ext
	target := filepath.Join(b.assets, url)
	if st, err := os.Stat(target); err == nil && st.Size() == int64(len(content)) {
		return url, st.Size(), nil
	}
	return url, int64(len(content)), os.WriteFile(target, content, 0o644)
}

// clean removes earlier builds' files.
func (b *build) clean(keep ...string) error {
	kept := map[string]bool{}
	for _, k := range keep {
		kept[k] = true
	}
	for _, pattern := range []string{"tabernetes.*.wasm", "tabernetes.*.wasm.br*", "wasm_exec.*.js"} {
		files, err := filepath.Glob(filepath.Join(b.assets, pattern))
		if err != nil {
			return err
		}
		for _, f := range files {
			if !kept[filepath.Base(f)] {
				if err := os.Remove(f); err != nil {
					return fmt.Errorf("remove an earlier build: %w", err)
				}
			}
		}
	}
	return nil
}

// compress writes the module's brotli twin with Node, which the page's build needs anyway.
func (b *build) compress(module string, quality int) (int64, error) {
	target := filepath.Join(b.assets, module+".br")
	// Under its own name only when it is whole: a build that is ended leaves no twin that breaks off.
	unfinished := target + ".unfinished"
	defer func() { _ = os.Remove(unfinished) }()
	const script = `
		const fs = require("node:fs"), zlib = require("node:zlib"), { pipeline } = require("node:stream/promises");
		const [from, to, quality] = process.argv.slice(1);
		const c = zlib.constants;
		pipeline(fs.createReadStream(from), zlib.createBrotliCompress({ params: {
			[c.BROTLI_PARAM_QUALITY]: Number(quality),
			[c.BROTLI_PARAM_LGWIN]: 24,
			[c.BROTLI_PARAM_SIZE_HINT]: fs.statSync(from).size,
		}}), fs.createWriteStream(to));`
	cmd := exec.Command("node", "-e", script, "--", filepath.Join(b.assets, module), unfinished, strconv.Itoa(quality))
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("compress with node: %w\n%s", err, out)
	}
	if err := os.Rename(unfinished, target); err != nil {
		return 0, fmt.Errorf("compress with node: %w", err)
	}
	st, err := os.Stat(target)
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

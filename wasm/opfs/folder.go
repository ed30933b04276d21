package opfs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

// maxKept bounds what is kept as one file, in bytes. A cluster's keys have some 20 kB; its configuration and the eight
// before it have at most 9 MiB, in base64.
const maxKept = 16 << 20

// SaveFolder keeps the files of the folder at path in a sink, as one file called name-1, name-2, …: the
// newest that is whole counts. What was kept before is there until the new one is on disk, so that a
// tab may end at any moment. Nothing is written if nothing has changed.
func SaveFolder(s persist.Sink, name, path string) error {
	files := map[string][]byte{}
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		relative, err := filepath.Rel(path, file)
		if err == nil {
			files[filepath.ToSlash(relative)], err = os.ReadFile(file)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("keep %s: %w", path, err)
	}
	text, err := json.Marshal(files)
	if err != nil {
		return fmt.Errorf("keep %s: %w", path, err)
	}
	if err := saveNext(s, name, text); err != nil {
		return fmt.Errorf("keep %s: %w", path, err)
	}
	return nil
}

// SaveFile keeps one file as SaveFolder keeps a folder.
func SaveFile(s persist.Sink, name, path string) error {
	content, err := os.ReadFile(path)
	if err == nil {
		err = saveNext(s, name, content)
	}
	if err != nil {
		return fmt.Errorf("keep %s: %w", path, err)
	}
	return nil
}

// LoadFile makes the file at path from what SaveFile has kept; ok is false if nothing was.
func LoadFile(s persist.Sink, name, path string) (ok bool, err error) {
	_, content, err := folderVersions(s, name)
	if err != nil || content == nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	return true, os.WriteFile(path, content, 0o600)
}

// saveNext writes the content as the next version, and removes those before.
func saveNext(s persist.Sink, name string, content []byte) error {
	versions, newest, err := folderVersions(s, name)
	if err != nil || bytes.Equal(newest, content) {
		return err
	}
	next := int64(1)
	if len(versions) > 0 {
		next = versions[len(versions)-1] + 1
	}
	if err := writeWhole(s, folderName(name, next), content); err != nil {
		return err
	}
	for _, old := range versions {
		if err := s.Remove(folderName(name, old)); err != nil {
			return fmt.Errorf("remove what was kept before: %w", err)
		}
	}
	return nil
}

// LoadFolder makes the folder at path from what SaveFolder has kept; ok is false if nothing was. Files
// that are there already and were not kept stay.
func LoadFolder(s persist.Sink, name, path string) (ok bool, err error) {
	_, text, err := folderVersions(s, name)
	if err != nil || text == nil {
		return false, err
	}
	var files map[string][]byte
	if err := json.Unmarshal(text, &files); err != nil {
		return false, fmt.Errorf("read what was kept as %s: %w", name, err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return false, err
	}
	root, err := os.OpenRoot(path) // what is kept may have been written by something else of this origin
	if err != nil {
		return false, err
	}
	defer root.Close()
	for file, content := range files {
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(file)), 0o700); err != nil {
			return false, fmt.Errorf("restore %s: %w", file, err)
		}
		if err := root.WriteFile(filepath.FromSlash(file), content, 0o600); err != nil {
			return false, fmt.Errorf("restore %s: %w", file, err)
		}
	}
	return true, nil
}

func folderName(name string, version int64) string { return fmt.Sprintf("%s-%d", name, version) }

// folderVersions are the numbers of the files there are, in order, and the content of the newest that
// is whole; nil if there is none. Files of which none is whole were never said to be kept.
func folderVersions(s persist.Sink, name string) (versions []int64, newest []byte, err error) {
	names, err := s.Files()
	if err != nil {
		return nil, nil, err
	}
	for _, file := range names {
		rest, found := strings.CutPrefix(file, name+"-")
		version, err := strconv.ParseInt(rest, 10, 64)
		if found && err == nil && file == folderName(name, version) {
			versions = append(versions, version)
		}
	}
	slices.Sort(versions)
	for _, version := range slices.Backward(versions) {
		newest, err = readWhole(s, folderName(name, version))
		if err != nil || newest != nil {
			return versions, newest, err
		}
	}
	return versions, nil, nil
}

// writeWhole writes a file with its hash before it.
func writeWhole(s persist.Sink, name string, content []byte) error {
	if len(content) > maxKept {
		return fmt.Errorf("%d bytes are more than the %d that are kept at once", len(content), maxKept)
	}
	f, err := s.Open(name)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(content)
	_, err = f.WriteAt(append([]byte(hex.EncodeToString(hash[:])), content...), 0)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.Sync()
	}
	return err
}

// readWhole reads what writeWhole wrote; nil if the file is torn.
func readWhole(s persist.Sink, name string) ([]byte, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil || size < 2*sha256.Size || size > maxKept+2*sha256.Size {
		return nil, err
	}
	text := make([]byte, size)
	if n, err := f.ReadAt(text, 0); n < len(text) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	said, content := string(text[:2*sha256.Size]), text[2*sha256.Size:]
	if hash := sha256.Sum256(content); said != hex.EncodeToString(hash[:]) {
		return nil, nil
	}
	return content, nil
}

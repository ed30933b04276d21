package clusterfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// manifestName is the first file of an archive that Write wrote; one of a data directory has none.
const manifestName = "tabernetes.json"

// formatVersion is the manifest's; one that is higher is refused.
const formatVersion = 1

// manifest says what must be in the archive.
type manifest struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"` // name → SHA-256, in hexadecimal
}

func manifestOf(files map[string][]byte) manifest {
	m := manifest{Version: formatVersion, Files: map[string]string{}}
	for name, data := range files {
		m.Files[name] = sum(data)
	}
	return m
}

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

func parseManifest(text []byte) (*manifest, error) {
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	if m.Version > formatVersion {
		return nil, fmt.Errorf("the file is of version %d, which a newer release wrote; this one knows version %d: import it there", m.Version, formatVersion)
	}
	return m, nil
}

// check compares what was read; a nil manifest says nothing.
func (m *manifest) check(files map[string][]byte) error {
	if m == nil {
		return nil
	}
	for name, want := range m.Files {
		data, ok := files[name]
		if !ok {
			return fmt.Errorf("%q is missing: copy or download the file again", name)
		}
		if sum(data) != want {
			return fmt.Errorf("%q is not as it was written: copy or download the file again", name)
		}
	}
	if len(files) != len(m.Files) {
		return errors.New("it has files that it does not name")
	}
	return nil
}

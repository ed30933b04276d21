package configuration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// Kept is what outlives a cluster's process: the configuration in force, and those before it, the last one last, to
// which one goes back when nobody gets in any more.
type Kept struct {
	Now    Files   `json:"now"`
	Before []Files `json:"before,omitempty"`
}

// maxBefore is how many there are to go back to.
const maxBefore = 8

// Next is what is kept when f takes the place of what is in force.
func (k Kept) Next(f Files) Kept {
	before := append(slices.Clone(k.Before), k.Now)
	return Kept{Now: f, Before: before[max(0, len(before)-maxBefore):]}
}

// Back is what is kept when the last one before is in force again; false if there is none.
func (k Kept) Back() (Kept, bool) {
	if len(k.Before) == 0 {
		return k, false
	}
	last := len(k.Before) - 1
	return Kept{Now: k.Before[last], Before: slices.Clone(k.Before[:last])}, true
}

// Parse reads what Save and Portable write.
func Parse(b []byte) (k Kept, err error) {
	err = json.Unmarshal(b, &k)
	for _, f := range append([]Files{k.Now}, k.Before...) {
		if err == nil {
			err = f.Check()
		}
	}
	if err == nil && len(k.Before) > maxBefore {
		err = fmt.Errorf("%d configurations before it are too many; at most %d are kept", len(k.Before), maxBefore)
	}
	return k, err
}

// Load reads it from a file; nil Files if there is none.
func Load(path string) (Kept, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Kept{}, nil
	}
	var k Kept
	if err == nil {
		k, err = Parse(b)
	}
	if err != nil {
		return Kept{}, fmt.Errorf("take up the kept configuration in %s: %w; remove that file to go on without it", path, err)
	}
	return k, nil
}

// Save writes it for its owner only, whole or not at all.
func (k Kept) Save(path string) error {
	b, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("keep the configuration: %w", err)
	}
	if err := wholefile.Write(path, b, 0o600); err != nil {
		return fmt.Errorf("keep the configuration: %w", err)
	}
	return nil
}

package preflight

import (
	"errors"
	"fmt"
)

// Untrusted says which of the programs of these names somebody else than root and the caller can change, by which
// directory or file; nil if none. A program that the machine does not have is nobody's.
func Untrusted(names ...string) error {
	s := Machine()
	var errs []error
	for _, name := range names {
		path, err := s.LookPath(name)
		if err != nil {
			continue
		}
		if err := s.Trusted(path); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

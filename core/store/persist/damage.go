package persist

import "fmt"

// DamageError says where a store's files are not as they were written. Nothing was
// changed. Repair keeps what comes before.
type DamageError struct {
	File   string
	Offset int64 // in bytes, of the record that is damaged
	Reason error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("the store's file %s is damaged at byte %d: %v; what was written before can be kept by a repair, after making a copy of the files", e.File, e.Offset, e.Reason)
}

// Unwrap returns the reason.
func (e *DamageError) Unwrap() error { return e.Reason }

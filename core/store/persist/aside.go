package persist

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// asidePrefix is before the names of what SetAside has copied.
const asidePrefix = "damaged-"

// SetAside copies a store's files within its sink, under names that no store opens, before a repair takes
// something away. What was set aside before goes.
func SetAside(s Sink) error {
	names, err := s.Files()
	if err != nil {
		return fmt.Errorf("set the damaged files aside: %w", err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, asidePrefix) {
			if err := s.Remove(name); err != nil {
				return fmt.Errorf("remove %s: %w", name, err)
			}
		}
	}
	inv, err := list(s)
	if err != nil {
		return err
	}
	var all []string
	for _, gen := range inv.snapshots {
		all = append(all, snapshotName(gen))
	}
	for _, gen := range inv.journals {
		all = append(all, journalName(gen))
	}
	for _, name := range all {
		if err := copyFile(s, name, asidePrefix+name); err != nil {
			return fmt.Errorf("set %s aside: %w", name, err)
		}
	}
	return s.Sync()
}

func copyFile(s Sink, from, to string) error {
	source, err := s.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	size, err := source.Size()
	if err != nil {
		return err
	}
	target, err := s.Open(to)
	if err != nil {
		return err
	}
	b := make([]byte, 1<<20)
	for at := int64(0); at < size && err == nil; {
		var n int
		if n, err = source.ReadAt(b[:min(int64(len(b)), size-at)], at); n > 0 {
			_, err = target.WriteAt(b[:n], at)
			at += int64(n)
		} else if errors.Is(err, io.EOF) {
			break
		}
	}
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

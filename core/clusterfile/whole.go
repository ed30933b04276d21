package clusterfile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

// Unfinished is the file that a place has while a cluster is made in it. A place that still has it when
// nobody works there holds nothing that was ever said to be there. web/kept has the same name.
const Unfinished = "unfinished"

// Make has fill put a cluster into a place: all of it, or nothing if anything fails. A program that is
// killed meanwhile leaves a place that Clean empties.
func Make(at persist.Sink, fill func(persist.Sink) error) error {
	if err := Clean(at); err != nil {
		return err
	}
	there, err := at.Files()
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return errors.New("there is a cluster of this name already: choose another name, or delete that one")
	}
	err = mark(at)
	if err == nil {
		err = fill(at)
	}
	if err == nil {
		err = at.Sync()
	}
	if err == nil {
		err = at.Remove(Unfinished)
	}
	if err == nil {
		return at.Sync()
	}
	return errors.Join(err, empty(at))
}

// Clean empties a place in which a cluster was begun and never completed, and no other.
func Clean(at persist.Sink) error {
	there, err := at.Files()
	if err != nil || !slices.Contains(there, Unfinished) {
		return err
	}
	return empty(at)
}

func mark(at persist.Sink) error {
	f, err := at.Open(Unfinished)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), at.Sync())
}

// empty removes all files, the mark last.
func empty(at persist.Sink) error {
	there, err := at.Files()
	if err != nil {
		return fmt.Errorf("take back what was begun: %w", err)
	}
	slices.SortFunc(there, func(a, b string) int {
		switch {
		case a == Unfinished:
			return 1
		case b == Unfinished:
			return -1
		}
		return 0
	})
	for _, name := range there {
		if err := at.Remove(name); err != nil {
			return fmt.Errorf("take back what was begun: %w", err)
		}
	}
	return at.Sync()
}

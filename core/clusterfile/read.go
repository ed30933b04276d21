package clusterfile

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

// Bounds of a file that is imported, in bytes and files.
const (
	MaxBytes   = 256 << 20
	maxEntries = 10_000
	maxKeys    = 256
	// maxConfiguration is of a configuration and those before it.
	maxConfiguration = 16 << 20
)

// File is a cluster that was read and is whole.
type File struct {
	// Revision is the store's latest; Keys how many it has.
	Revision int64
	Objects  int
	// PKI are the cluster's key files by their path below its pki directory; empty for none.
	PKI map[string][]byte
	// Configuration is the control plane's, as core/cluster keeps it, and nobody has looked at it; nil if
	// there is none.
	Configuration []byte
	store         *memory
}

var (
	storeFile = regexp.MustCompile(`^(journal|snapshot)-[0-9]{8}$|^revisions$`)
	keyFile   = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]{0,63}/)?[a-z0-9][a-z0-9.-]{0,63}$`)
)

// Read reads a file and checks it. Whatever is wrong with it, nothing was made of it.
func Read(r io.Reader) (*File, error) {
	f, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("import the cluster: %w", err)
	}
	return f, nil
}

// counted fails once it has read more than it may.
type counted struct {
	from io.Reader
	left int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

var errTooLarge = fmt.Errorf("it has more than %d MiB", MaxBytes>>20)

func read(r io.Reader) (*File, error) {
	f := &File{PKI: map[string][]byte{}, store: newMemory()}
	in := tar.NewReader(&counted{r, MaxBytes})
	room := int64(MaxBytes) // for what is kept of it: a file with holes is longer than what was read of it
	var says *manifest
	all := map[string][]byte{}
	for n := 0; ; n++ {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("the file ends early: copy or download it again")
		}
		if err != nil {
			return nil, fmt.Errorf("it is not a cluster's file, or damaged: %w", err)
		}
		if n >= maxEntries {
			return nil, fmt.Errorf("it has more than %d files", maxEntries)
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		name := strings.TrimPrefix(head.Name, "./")
		var data []byte
		if name == manifestName && n == 0 {
			if data, err = io.ReadAll(io.LimitReader(in, 1<<20)); err == nil {
				says, err = parseManifest(data)
			}
			data = nil
		} else if data, err = f.wants(name, in, head.Size <= room); data != nil {
			all[name] = data
			room -= int64(len(data))
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("the file ends early: copy or download it again")
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		if inStore, ok := strings.CutPrefix(name, storeDir); data != nil && ok {
			f.store.files[inStore] = &file{mu: &f.store.mu, data: data}
		} else if data != nil && name == configurationName {
			f.Configuration = data
		} else if data != nil {
			f.PKI[strings.TrimPrefix(name, keysDir)] = data
		}
	}
	if err := says.check(all); err != nil {
		return nil, err
	}
	if len(f.store.files) == 0 {
		return nil, errors.New("there is no store in it: a file that Export wrote, or an archive of nodehost's --data-dir, has one")
	}
	state, err := persist.Read(f.store)
	if err != nil {
		return nil, fmt.Errorf("its store is damaged, or of a newer version than this one: %w", err)
	}
	if state.Rev <= 1 || len(state.KVs) == 0 {
		return nil, errors.New("its store is empty")
	}
	f.Revision, f.Objects = state.Rev, len(state.KVs)
	return f, nil
}

// wants is the content of a file that belongs to a cluster, nil of any other: a data directory has the
// nodes' files and kubeconfigs, too. fits says whether there is room for it.
func (f *File) wants(name string, in io.Reader, fits bool) ([]byte, error) {
	inStore, isStore := strings.CutPrefix(name, storeDir)
	key, isKey := strings.CutPrefix(name, keysDir)
	switch {
	case isStore && storeFile.MatchString(inStore) && f.store.files[inStore] == nil:
	case isKey && keyFile.MatchString(key) && f.PKI[key] == nil:
		if len(f.PKI) >= maxKeys {
			return nil, fmt.Errorf("there are more than %d keys", maxKeys)
		}
		data, err := io.ReadAll(io.LimitReader(in, 1<<20+1))
		if err == nil && len(data) > 1<<20 {
			err = errors.New("it is too large for a key")
		}
		return data, err
	case name == configurationName && f.Configuration == nil:
		data, err := io.ReadAll(io.LimitReader(in, maxConfiguration+1))
		if err == nil && len(data) > maxConfiguration {
			err = errors.New("it is too large for a configuration")
		}
		return data, err
	case name == configurationName:
		return nil, fmt.Errorf("%w: a cluster's file has it once", fs.ErrInvalid)
	case isStore && inStore != "lock" && !strings.HasSuffix(name, "/"), isKey:
		return nil, fmt.Errorf("%w: a cluster's file has no such file, or has it once", fs.ErrInvalid)
	default:
		return nil, nil
	}
	if !fits {
		return nil, errTooLarge
	}
	var b bytes.Buffer
	_, err := io.Copy(&b, in)
	return append([]byte{}, b.Bytes()...), err
}

// Into puts the store into an empty sink, and has more put there what goes along: the keys and the
// configuration, if the file has any. What fails leaves nothing there.
func (f *File) Into(to persist.Sink, more func(to persist.Sink) error) error {
	err := Make(to, func(to persist.Sink) error {
		if err := f.store.into(to); err != nil {
			return err
		}
		return more(to)
	})
	if err != nil {
		return fmt.Errorf("import the cluster: %w", err)
	}
	return nil
}

package program

import (
	"crypto/rand"
	"io"
	"io/fs"
	"path"
	"syscall"
	"time"
)

// devices are the character devices that every container has (OCI runtime spec, "Default
// Devices"), whatever its root directory holds.
var devices = map[string]deviceKind{
	"/dev/null": devNull, "/dev/zero": devZero, "/dev/full": devFull,
	"/dev/random": devRandom, "/dev/urandom": devRandom,
}

// special tells whether a resolved path is a device or names a stream of a process.
func special(name string) bool {
	_, ok := devices[name]
	_, _, isStream := streamName(name)
	return ok || isStream
}

type deviceKind int

const (
	devNull deviceKind = iota
	devZero
	devFull
	devRandom
)

type device struct {
	name string
	kind deviceKind
}

func (d *device) Name() string                   { return d.name }
func (d *device) Close() error                   { return nil }
func (d *device) Seek(int64, int) (int64, error) { return 0, nil }
func (d *device) Stat() (fs.FileInfo, error)     { return deviceInfo(path.Base(d.name)), nil }

func (d *device) Read(p []byte) (int, error) {
	switch d.kind {
	case devNull:
		return 0, io.EOF
	case devRandom:
		return rand.Read(p)
	}
	clear(p)
	return len(p), nil
}

func (d *device) Write(p []byte) (int, error) {
	if d.kind == devFull {
		return 0, syscall.ENOSPC
	}
	return len(p), nil
}

// deviceInfo is the base name of a device.
type deviceInfo string

var _ fs.FileInfo = deviceInfo("")

func (i deviceInfo) Name() string       { return string(i) }
func (i deviceInfo) Size() int64        { return 0 }
func (i deviceInfo) Mode() fs.FileMode  { return fs.ModeDevice | fs.ModeCharDevice | 0o666 }
func (i deviceInfo) ModTime() time.Time { return time.Unix(0, 0) }
func (i deviceInfo) IsDir() bool        { return false }
func (i deviceInfo) Sys() any           { return nil }

package program

import (
	"io/fs"
	"os"
	"strings"
)

// sealed begins the text on the disk of a link that could lead upwards or away. The system's own resolution
// ends there, because /dev/null is no directory, anywhere and for ever: who follows links without an FS (the
// kubelet, which natively has the rights of whoever runs the cluster) comes nowhere by a link that a program
// made, wherever it is moved to, and there is no moment in which it leads anywhere else.
const sealed = "/dev/null/link:"

// SealLink is what is written to the disk for a symbolic link to target. A target that goes downwards only
// stays as it is: it leads to nothing but what lies beside the link, wherever both are.
func SealLink(target string) string {
	if !strings.HasPrefix(target, "/") && !strings.HasPrefix("/"+target+"/", "/../") && !strings.Contains(target+"/", "/../") {
		return target
	}
	return sealed + target
}

// LinkIsSealed tells whether SealLink has changed a link's text.
func LinkIsSealed(text string) bool { return strings.HasPrefix(text, sealed) }

// ReadLink is os.Readlink for a link that a program may have made: the target as the program wrote it.
func ReadLink(path string) (string, error) {
	target, err := os.Readlink(path)
	return strings.TrimPrefix(target, sealed), err
}

// linkInfo is a link with the size of its target as it was written.
type linkInfo struct {
	fs.FileInfo
	size int64
}

func (i linkInfo) Size() int64 { return i.size }

// linkSize gives a link that info describes its size.
func linkSize(t tree, rel string, info fs.FileInfo, err error) (fs.FileInfo, error) {
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return info, err
	}
	target, err := t.readlink(rel)
	if err != nil {
		return info, nil //nolint:nilerr // it was exchanged meanwhile: what was seen is told
	}
	return linkInfo{info, int64(len(target))}, nil
}

// Plain has links written as programs name them. It is for a file system whose files this program's own
// code opens by their paths, links among them, and which no pod can write: the terminal's. It must be called
// before the first use.
func (f *FS) Plain() *FS {
	f.plain = true
	return f
}

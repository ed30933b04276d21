package program

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// reasons are libc's words (strerror(3)) where Go's differ in more than the first letter, and
// those of the errors that js has no words for.
var reasons = map[syscall.Errno]string{
	syscall.EFBIG:  "File too large",
	syscall.ENOENT: "No such file or directory", syscall.EACCES: "Permission denied",
	syscall.EEXIST: "File exists", syscall.ENOTDIR: "Not a directory", syscall.EISDIR: "Is a directory",
	syscall.ENOTEMPTY: "Directory not empty", syscall.EROFS: "Read-only file system",
	syscall.EBUSY: "Resource busy", syscall.EXDEV: "Invalid cross-device link",
	syscall.ELOOP: "Too many levels of symbolic links", syscall.EINVAL: "Invalid argument",
	syscall.EBADF: "Bad file descriptor", syscall.EPIPE: "Broken pipe", syscall.ESPIPE: "Illegal seek",
	syscall.ENOSPC: "No space left on device", syscall.EPERM: "Operation not permitted",
	syscall.ENAMETOOLONG: "File name too long",
	syscall.EAGAIN:       "Resource temporarily unavailable", syscall.ENOMEM: "Out of memory", syscall.EMFILE: "Too many open files",
	syscall.ECONNREFUSED: "Connection refused", syscall.ENOTSUP: "Not supported",
}

// Reason tells an error of a file in libc's words, without the operation and the path.
func Reason(err error) string {
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		if text, ok := reasons[errno]; ok {
			return text
		}
		return errno.Error()
	case errors.Is(err, fs.ErrNotExist):
		return reasons[syscall.ENOENT]
	case errors.Is(err, fs.ErrExist):
		return reasons[syscall.EEXIST]
	case errors.Is(err, fs.ErrPermission):
		return reasons[syscall.EACCES]
	case errors.Is(err, context.Canceled):
		return "Interrupted"
	}
	return err.Error()
}

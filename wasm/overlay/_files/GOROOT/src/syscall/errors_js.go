//go:build js && wasm

package syscall

// linuxText is the text of an error as it reads on Linux: events and conditions show it to
// users, and some of upstream looks for it.
func linuxText(e Errno) string {
	switch e {
	case EIO:
		return "input/output error"
	case EBADF:
		return "bad file descriptor"
	case EAGAIN:
		return "resource temporarily unavailable"
	case ENOMEM:
		return "cannot allocate memory"
	case EXDEV:
		return "invalid cross-device link"
	case ENOTTY:
		return "inappropriate ioctl for device"
	case ELOOP:
		return "too many levels of symbolic links"
	case ENOSYS:
		return "function not implemented"
	case EOPNOTSUPP:
		return "operation not supported"
	case EADDRNOTAVAIL:
		return "cannot assign requested address"
	case EISCONN:
		return "transport endpoint is already connected"
	case ENOTCONN:
		return "transport endpoint is not connected"
	case ECANCELED:
		return "operation canceled"
	}
	s := errorstr[e]
	if len(s) < 2 || s[0] < 'A' || s[0] > 'Z' || s[1] < 'a' || s[1] > 'z' {
		return s
	}
	return string(rune(s[0]-'A'+'a')) + s[1:]
}

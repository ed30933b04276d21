//go:build js && wasm

package unix

import "syscall"

// Names that upstream takes for granted on every platform that is not Windows. There is no
// terminal, no kernel and no other user.

// Socket options and signals.
const (
	SO_REUSEADDR = syscall.SO_REUSEADDR
	SO_REUSEPORT = 15
	SIGWINCH     = syscall.SIGWINCH
)

// Requests and flags of terminals, with Linux's values.
const (
	TCGETS     = 0x5401
	TCSETS     = 0x5402
	TIOCGWINSZ = 0x5413
	TIOCSWINSZ = 0x5414

	IGNBRK = 0x1
	BRKINT = 0x2
	PARMRK = 0x8
	ISTRIP = 0x20
	INLCR  = 0x40
	IGNCR  = 0x80
	ICRNL  = 0x100
	IXON   = 0x400
	OPOST  = 0x1
	ISIG   = 0x1
	ICANON = 0x2
	ECHO   = 0x8
	ECHONL = 0x40
	IEXTEN = 0x8000
	CSIZE  = 0x30
	CS8    = 0x30
	PARENB = 0x100
	VTIME  = 0x5
	VMIN   = 0x6
)

// Termios describes a terminal.
type Termios struct {
	Iflag, Oflag, Cflag, Lflag uint32
	Line                       uint8
	Cc                         [19]uint8
	Ispeed, Ospeed             uint32
}

// Winsize is a terminal's size.
type Winsize struct{ Row, Col, Xpixel, Ypixel uint16 }

// IoctlGetTermios says that nothing is a terminal.
func IoctlGetTermios(fd int, req uint) (*Termios, error) { return nil, syscall.ENOTTY }

// IoctlSetTermios says that nothing is a terminal.
func IoctlSetTermios(fd int, req uint, t *Termios) error { return syscall.ENOTTY }

// IoctlGetWinsize says that nothing is a terminal. Its result is never nil: moby/term reads it
// before it looks at the error.
func IoctlGetWinsize(fd int, req uint) (*Winsize, error) { return &Winsize{}, syscall.ENOTTY }

// IoctlSetWinsize says that nothing is a terminal.
func IoctlSetWinsize(fd int, req uint, w *Winsize) error { return syscall.ENOTTY }

// Umask sets the file mode creation mask and returns the old one.
func Umask(mask int) int { return syscall.Umask(mask) }

// Utsname is what uname tells.
type Utsname struct {
	Sysname, Nodename, Release, Version, Machine, Domainname [65]byte
}

// Uname names a kernel young enough to have none of the faults that upstream works around.
func Uname(u *Utsname) error {
	copy(u.Sysname[:], "js")
	copy(u.Nodename[:], "tabernetes")
	copy(u.Release[:], "6.1.0")
	copy(u.Machine[:], "wasm")
	return nil
}

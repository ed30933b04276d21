//go:build js && wasm

package syscall

// Names that upstream takes for granted on every platform that is not Windows.

// Signals: never delivered, but named. The numbers follow those of syscall_js.go.
const (
	SIGHUP Signal = iota + 32
	SIGUSR1
	SIGUSR2
	SIGWINCH
	SIGPIPE
	SIGTSTP
	SIGCONT
	SIGSTOP
	SIGABRT
	SIGALRM
)

// Socket options: accepted by SetsockoptInt, without an effect.
const (
	SOL_SOCKET   = 1
	SO_REUSEADDR = 2
	SO_LINGER    = 13
)

// Modes of Access.
const (
	F_OK = 0
	X_OK = 1
	W_OK = 2
	R_OK = 4
)

// Operations of Flock.
const (
	LOCK_SH = 1
	LOCK_EX = 2
	LOCK_NB = 4
	LOCK_UN = 8
)

// Linger is the argument of SO_LINGER.
type Linger struct {
	Onoff  int32
	Linger int32
}

// SetsockoptLinger accepts and ignores: a connection of the in-memory network closes at once.
func SetsockoptLinger(fd, level, opt int, l *Linger) error { return nil }

// UnixRights would pass descriptors through a socket; nothing reads them here.
func UnixRights(fds ...int) []byte { return nil }

// Access looks whether the file exists: there is one user, who may do everything.
func Access(path string, mode uint32) error {
	var st Stat_t
	return Stat(path, &st)
}

// Flock locks an open file against other open files of this program.
func Flock(fd, how int) error {
	if inMemory == nil {
		return ENOSYS
	}
	return inMemory.Flock(fd, how)
}

// Exec cannot be: there is one program.
func Exec(argv0 string, argv, env []string) error { return ENOSYS }

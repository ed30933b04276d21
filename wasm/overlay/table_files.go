package overlay

// fileEdits put the hook of files_js.go before every file call of GOROOT's syscall/fs_js.go.
var fileEdits = []Edit{
	byPath("func Open(path string, openmode int, perm uint32) (int, error) {", "Open(path, openmode, perm)"),
	byPath("func Mkdir(path string, perm uint32) error {", "Mkdir(path, perm)"),
	byPath("func Stat(path string, st *Stat_t) error {", "Stat(path, st, true)"),
	byPath("func Lstat(path string, st *Stat_t) error {", "Stat(path, st, false)"),
	byPath("func Unlink(path string) error {", "Unlink(path)"),
	byPath("func Rmdir(path string) error {", "Rmdir(path)"),
	byPath("func Chmod(path string, mode uint32) error {", "Chmod(path, mode)"),
	byPath("func Chown(path string, uid, gid int) error {", "Chown(path, uid, gid, true)"),
	byPath("func Lchown(path string, uid, gid int) error {", "Chown(path, uid, gid, false)"),
	byPath("func UtimesNano(path string, ts []Timespec) error {", "UtimesNano(path, ts)"),
	byPath("func Rename(from, to string) error {", "Rename(from, to)"),
	byPath("func Truncate(path string, length int64) error {", "Truncate(path, length)"),
	byPath("func Chdir(path string) (err error) {", "Chdir(path)"),
	byPath("func Link(path, link string) error {", "Link(path, link)"),
	byPath("func Symlink(path, link string) error {", "Symlink(path, link)"),
	first("func Getcwd(buf []byte) (n int, err error) {",
		"if inMemory != nil {\n\twd, err := inMemory.Getcwd()\n\treturn copy(buf, wd), err\n}"),
	first("func Readlink(path string, buf []byte) (n int, err error) {",
		"if inMemory != nil {\n\tdst, err := inMemory.Readlink(path)\n\treturn copy(buf, dst), err\n}"),
	// Descriptors 0, 1 and 2 are the file system's too, except for their bytes.
	byPath("func Fstat(fd int, st *Stat_t) error {", "Fstat(fd, st)"),
	byPath("func Dup(fd int) (int, error) {", "Dup(fd)"),
	byPath("func Dup2(fd, newfd int) error {", "Dup2(fd, newfd)"),
	byDescriptor("func Close(fd int) error {", "Close(fd)"),
	byDescriptor("func ReadDirent(fd int, buf []byte) (int, error) {", "ReadDirent(fd, buf)"),
	byDescriptor("func Fchmod(fd int, mode uint32) error {", "Fchmod(fd, mode)"),
	byDescriptor("func Fchown(fd int, uid, gid int) error {", "Fchown(fd, uid, gid)"),
	byDescriptor("func Ftruncate(fd int, length int64) error {", "Ftruncate(fd, length)"),
	byDescriptor("func Fchdir(fd int) error {", "Fchdir(fd)"),
	byDescriptor("func Fsync(fd int) error {", "Fsync(fd)"),
	byDescriptor("func Read(fd int, b []byte) (int, error) {", "Read(fd, b)"),
	byDescriptor("func Pread(fd int, b []byte, offset int64) (int, error) {", "Pread(fd, b, offset)"),
	byDescriptor("func Pwrite(fd int, b []byte, offset int64) (int, error) {", "Pwrite(fd, b, offset)"),
	byDescriptor("func Seek(fd int, offset int64, whence int) (int64, error) {", "Seek(fd, offset, whence)"),
	first("func Write(fd int, b []byte) (int, error) {",
		"if inMemory != nil {\n\tif fd == 1 || fd == 2 {\n\t\treturn writeHost(fd, b)\n\t}\n\treturn inMemory.Write(fd, b)\n}"),
}

// byPath asks the file system whenever there is one.
func byPath(signature, call string) Edit {
	return first(signature, "if inMemory != nil {\n\treturn inMemory."+call+"\n}")
}

// byDescriptor leaves the host's own descriptors to the host.
func byDescriptor(signature, call string) Edit {
	return first(signature, "if inMemory != nil && fd > 2 {\n\treturn inMemory."+call+"\n}")
}

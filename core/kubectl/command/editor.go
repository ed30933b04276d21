package command

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/program"
)

// Upstream runs an editor as a process of the operating system (k8s.io/kubectl/pkg/cmd/util/
// editor, Editor.Launch), which a tab cannot. There LaunchEditor stands in its place, and has to
// know whose command it is: the variable that names the editor carries a number, set while no
// other command may read it.
const (
	editorVariable = "KUBE_EDITOR"
	editorName     = "tabernetes-editor"
	defaultEditor  = "vi"
)

var editors struct {
	// reading is held from setting the variable until upstream has read it: to the first
	// launch, or to the end of a command that launches none.
	reading sync.Mutex
	enabled bool

	mu    sync.Mutex
	next  int
	waits map[int]*edit
}

type edit struct {
	ctx  context.Context
	p    *program.Process
	read func()
}

// TakeOverEditor says that upstream's Editor.Launch is replaced by LaunchEditor: once, before
// the first command.
func TakeOverEditor() { editors.enabled = true }

// takeOverEditor prepares a command that may launch an editor; done is called when it has ended.
func takeOverEditor(ctx context.Context, p *program.Process, args []string) (done func()) {
	if !editors.enabled || !mayEdit(args) {
		return func() {}
	}
	editors.reading.Lock()
	e := &edit{ctx: ctx, p: p, read: sync.OnceFunc(func() {
		_ = os.Unsetenv(editorVariable)
		editors.reading.Unlock()
	})}
	editors.mu.Lock()
	defer editors.mu.Unlock()
	editors.next++
	number := editors.next
	if editors.waits == nil {
		editors.waits = map[int]*edit{}
	}
	editors.waits[number] = e
	_ = os.Setenv(editorVariable, editorName+" "+strconv.Itoa(number))
	return func() {
		e.read()
		editors.mu.Lock()
		defer editors.mu.Unlock()
		delete(editors.waits, number)
	}
}

// mayEdit tells whether a command can come to launch an editor.
func mayEdit(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "edit" || a == "edit-last-applied" || a == "--edit" || a == "--edit=true"
	})
}

// LaunchEditor edits the file name, a path of the operating system, with the editor of the
// command that is meant by argv: $KUBE_EDITOR or $EDITOR of its shell, else vi, which opens the
// page's editor. It returns when the editor has ended.
func LaunchEditor(argv []string, name string) error {
	e := waiting(argv)
	if e == nil {
		return fmt.Errorf("unable to launch the editor %q", strings.Join(argv, " "))
	}
	e.read()
	editor := e.p.Getenv(editorVariable)
	if editor == "" {
		editor = e.p.Getenv("EDITOR")
	}
	if editor == "" {
		editor = defaultEditor
	}
	if err := e.run(editor, name); err != nil {
		return fmt.Errorf("there was a problem with the editor %q: %w", editor, err)
	}
	return nil
}

func waiting(argv []string) *edit {
	if len(argv) != 2 || argv[0] != editorName {
		return nil
	}
	number, err := strconv.Atoi(argv[1])
	if err != nil {
		return nil
	}
	editors.mu.Lock()
	defer editors.mu.Unlock()
	return editors.waits[number]
}

// run lends the editor a copy of the file in the command's own file system.
func (e *edit) run(editor, name string) error {
	before, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	lent := "/tmp/" + path.Base(name)
	if err := e.p.FS.WriteFile(lent, before, 0o600); err != nil {
		return err
	}
	defer func() { _ = e.p.FS.Remove(lent) }()
	sh, ok := e.p.Lookup("sh")
	if !ok {
		return fmt.Errorf("there is no shell")
	}
	child := e.p.Child("sh", "-c", editor+` "$0"`, lent)
	if code := sh(e.ctx, child); code != 0 {
		return fmt.Errorf("it ended with exit code %d", code)
	}
	after, err := e.p.FS.ReadFile(lent)
	if err != nil {
		return err
	}
	return os.WriteFile(name, after, 0o600)
}

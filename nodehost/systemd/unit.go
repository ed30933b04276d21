package systemd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/tabernetes/tabernetes/core/wholefile"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

// Name is the unit's.
const Name = "nodehost.service"

// Path is its file.
const Path = "/etc/systemd/system/" + Name

// The limits are those that containerd's and kubeadm's units have. A machine that has left, or never
// joined, has no node.json, and starting is not tried again then.
var unit = template.Must(template.New(Name).Funcs(template.FuncMap{"word": word}).Parse(`# Written by nodehost join --service, removed by nodehost leave.
[Unit]
Description=Node of a Tabernetes cluster
After=network-online.target
Wants=network-online.target
ConditionPathExists={{.Place.StateFile}}
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={{word .Program}} join --dir {{word .Place.Dir}} --run-dir {{word .Place.Run}}
Restart=always
RestartSec=2
# Containers and their runtime are in groups of their own; what is here is nodehost and what it calls.
KillMode=mixed
TimeoutStopSec=60
LimitNOFILE=1048576
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
`))

// word is one argument of a unit's command line, in which % and $ mean something.
func word(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(s) + `"`
}

// File is the unit that runs program (an absolute path) for the node at a place.
func File(program string, place nodedir.Place) ([]byte, error) {
	if !filepath.IsAbs(program) {
		return nil, fmt.Errorf("make %s: %q is not an absolute path", Name, program)
	}
	var b bytes.Buffer
	if err := unit.Execute(&b, struct {
		Program string
		Place   nodedir.Place
	}{program, place}); err != nil {
		return nil, fmt.Errorf("make %s: %w", Name, err)
	}
	return b.Bytes(), nil
}

// Start writes the unit and starts it, now and at each boot. The caller has remembered that there is
// one, and has released the place.
func Start(ctx context.Context, program string, place nodedir.Place) error {
	file, err := File(program, place)
	if err != nil {
		return err
	}
	if err := wholefile.Write(Path, file, 0o644); err != nil {
		return fmt.Errorf("make %s: %w", Name, err)
	}
	return errors.Join(systemctl(ctx, "daemon-reload"), systemctl(ctx, "enable", Name), systemctl(ctx, "restart", Name))
}

// Stop stops the unit and waits for it. It must not be called from within the unit. It is no error if
// there is none.
func Stop(ctx context.Context) error {
	if _, err := os.Stat(Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return systemctl(ctx, "stop", Name)
}

// Remove removes the unit, which may be the one that this process is of. It is no error if there is none.
func Remove(ctx context.Context) error {
	if _, err := os.Stat(Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := systemctl(ctx, "disable", Name)
	return errors.Join(err, os.Remove(Path), systemctl(ctx, "daemon-reload"))
}

// exitNotLoaded is systemctl's exit code for a unit that systemd does not have.
const exitNotLoaded = 5

// StopSlice has systemd forget a slice and what is in it. Removing the directories is not enough: the
// units stay, and the next daemon-reload makes their groups again. It is no error if there is none.
func StopSlice(ctx context.Context, name string) error {
	err := systemctl(ctx, "stop", name)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitNotLoaded {
		return nil
	}
	return err
}

func systemctl(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "systemctl", append([]string{"--quiet"}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("systemctl %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

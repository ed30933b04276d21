package tool

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

func init() {
	tools["ps"] = ps
	tools["pidof"] = pidof
	tools["pgrep"] = pidof
	tools["pkill"] = pkill
	tools["killall"] = pkill
}

// ps lists the container's processes; its options change nothing.
func ps(t *T) int {
	if t.Table == nil {
		return 0
	}
	cols := 0
	if t.Terminal != nil {
		cols, _ = t.Terminal.Size()
	}
	t.print("PID   USER     TIME  COMMAND\n")
	who := accounts{t: t}
	for _, info := range t.Table.List() {
		line := fmt.Sprintf("%5d %-8.8s  0:00 %s", info.PID, who.user(info.UID), strings.Join(info.Args, " "))
		if runes := []rune(line); cols > 0 && len(runes) > cols {
			line = string(runes[:cols])
		}
		t.print(line + "\n")
	}
	return 0
}

// named are the processes that are called name, others than this one.
func (t *T) named(name string) []program.Info {
	var found []program.Info
	if t.Table == nil {
		return nil
	}
	for _, info := range t.Table.List() {
		if len(info.Args) > 0 && info.PID != t.PID && info.Args[0][strings.LastIndexByte(info.Args[0], '/')+1:] == name {
			found = append(found, info)
		}
	}
	return found
}

func pidof(t *T) int {
	var pids []string
	for _, name := range t.Args[1:] {
		for _, info := range t.named(name) {
			pids = append(pids, strconv.Itoa(info.PID))
		}
	}
	if len(pids) == 0 {
		return 1
	}
	separator := " "
	if t.name == "pgrep" {
		separator = "\n"
	}
	t.print(strings.Join(pids, separator) + "\n")
	return 0
}

func pkill(t *T) int {
	sig := program.SIGTERM
	args := t.Args[1:]
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		var ok bool
		if sig, ok = program.ParseSignal(args[0][1:]); !ok {
			t.fail("bad signal name '%s'", args[0][1:])
			return 1
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return t.usage("[-SIGNAL] NAME...")
	}
	for _, name := range args {
		found := t.named(name)
		if len(found) == 0 {
			if t.name == "killall" {
				t.fail("%s: no process killed", name)
			}
			t.code = 1
		}
		for _, info := range found {
			t.failed(name, t.Table.Signal(info.PID, sig))
		}
	}
	return 0
}

func init() { tools["uptime"] = uptime }

func uptime(t *T) int {
	started := time.Now()
	if t.Table != nil {
		for _, info := range t.Table.List() {
			if info.Started.Before(started) {
				started = info.Started
			}
		}
	}
	up := time.Since(started)
	t.printf(" %s up %d:%02d,  0 users,  load average: 0.00, 0.00, 0.00\n",
		time.Now().UTC().Format("15:04:05"), int(up.Hours()), int(up.Minutes())%60)
	return 0
}

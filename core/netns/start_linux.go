package netns

import (
	"os/exec"
	"runtime"
)

// start starts cmd from a thread that lives as long as the process: the kernel
// sends the parent-death signal when the starting thread ends, not the process.
func start(cmd *exec.Cmd) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- cmd.Start()
		select {} // keep the thread
	}()
	return <-done
}

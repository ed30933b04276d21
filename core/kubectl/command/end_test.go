package command

import (
	"testing"

	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// TestFatalInAGrandchild: whoever of a command's goroutines calls CheckErr ends that command, and
// no other one.
func TestFatalInAGrandchild(t *testing.T) {
	captureEnd()
	codes := map[string]chan int{"one": make(chan int, 1), "two": make(chan int, 1)}
	begin, hold := make(chan struct{}), make(chan struct{})
	for name, code := range codes {
		go asCommand(t.Context(), nil, func(e exit) { code <- e.code }, func() {
			if name == "one" {
				go func() {
					go func() {
						go func() {
							<-begin
							cmdutil.CheckErr(cmdutil.ErrExit)
						}()
					}()
				}()
			}
			<-hold
		})
	}
	close(begin)
	if code := <-codes["one"]; code != 1 {
		t.Errorf("the command ends with %d", code)
	}
	close(hold)
	select {
	case code := <-codes["two"]:
		t.Errorf("the other one ended with %d", code)
	default:
	}
	// After its end a command's goroutines end for themselves.
	left := make(chan struct{})
	release := make(chan struct{})
	asCommand(t.Context(), nil, func(exit) { t.Error("it had ended") }, func() {
		go func() {
			defer close(left)
			<-release
			cmdutil.CheckErr(cmdutil.ErrExit)
		}()
	})
	close(release)
	<-left
}

// TestFatalUnwinds: in the command's own goroutine its deferred functions run.
func TestFatalUnwinds(t *testing.T) {
	captureEnd()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		asCommand(t.Context(), nil, func(exit) { t.Error("ended from elsewhere") }, func() {
			cmdutil.CheckErr(cmdutil.ErrExit)
		})
	}()
	if r := <-done; r != (exit{code: 1}) {
		t.Errorf("unwound with %v", r)
	}
}

package tool

import "time"

func init() { tools["sleep"] = sleep }

// sleep is sleep N[smhd]... or infinity.
func sleep(t *T) int {
	if len(t.Args) < 2 {
		return t.usage("[N]...")
	}
	var total time.Duration
	for _, arg := range t.Args[1:] {
		if arg == "infinity" || arg == "inf" {
			t.Waits()
			<-t.ctx.Done()
			return 0
		}
		d, err := duration(arg)
		if err != nil {
			t.fail("%v", err)
			return 1
		}
		total += d
	}
	t.pause(total)
	return 0
}

// pause waits; false if the tool is to end.
func (t *T) pause(d time.Duration) bool {
	t.Waits()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.ctx.Done():
		return false
	}
}

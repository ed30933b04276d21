//go:build js && wasm

package runtime

const (
	// engineStackStep is how much a goroutine's stack may grow, in bytes, before the calls are
	// taken off the engine's stack.
	engineStackStep = 16 << 10
	// engineStackMost is how far the guard may be below a frame that goes on; asm_wasm.s raises it.
	engineStackMost = 2 * engineStackStep
)

// lowerStackGuard lets gp, which called morestack because of guard, go on for engineStackStep
// bytes. It reports false when there is no room for that: its stack must grow.
//
// Each call of Go is one of WebAssembly, too, on the engine's stack, which is fixed (0.5 MB in a
// Worker of Chromium) and whose end is no panic: the whole program is over, with locks held
// (golang/go#70829). Going through morestack takes all calls off it: wasm_pc_f_loop goes on with
// the last one, and with its callers when it returns. So a goroutine's stack gets a guard at each
// step, not only at its end.
func lowerStackGuard(gp *g, guard uintptr) bool {
	end := gp.stack.lo + stackGuard
	if guard <= end {
		return false
	}
	step := uintptr(engineStackStep)
	if f := findfunc(gp.sched.pc); f.valid() {
		step += uintptr(funcMaxSPDelta(f)) // the function looks again, and has to fit
	}
	gp.stackguard0 = end
	if sp := gp.sched.sp; sp > end+step {
		gp.stackguard0 = sp - step
	}
	return true
}

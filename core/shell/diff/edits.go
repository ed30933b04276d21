package diff

import "context"

const (
	// maxCost is how many differences are looked for at most around a middle: beyond, the best way so far is taken.
	// What is printed is right all the same, and perhaps longer than it need be. GNU diff has such a bound, too.
	maxCost = 2048
	// every is after how many steps the context is asked.
	every = 1 << 14
)

// edits finds which lines of a are not in b, and which of b not in a, by Myers' algorithm in linear space ("An O(ND)
// Difference Algorithm and Its Variations", 1986). Lines are numbers here: equal ones have the same.
type edits struct {
	ctx     context.Context
	a, b    []int32
	deleted []bool // of a
	added   []bool // of b
	// How far on each diagonal (x-y) a way from the beginning has come, and one from the end; in x.
	forward, backward []int32
	steps             int
}

// editsMemory is what edits takes for a line, with its number.
const editsMemory = 4 + 1 + 8

func newEdits(ctx context.Context, a, b []int32) *edits {
	n := len(a) + len(b) + 3
	return &edits{
		ctx: ctx, a: a, b: b, deleted: make([]bool, len(a)), added: make([]bool, len(b)),
		forward: make([]int32, n), backward: make([]int32, n),
	}
}

// step counts a step; false if the context has ended.
func (e *edits) step() bool {
	e.steps++
	return e.steps%every != 0 || e.ctx.Err() == nil
}

// compare marks what differs between a[x0:x1] and b[y0:y1].
func (e *edits) compare(x0, x1, y0, y1 int) error {
	for {
		for x0 < x1 && y0 < y1 && e.a[x0] == e.b[y0] {
			if x0, y0 = x0+1, y0+1; !e.step() {
				return e.ctx.Err()
			}
		}
		for x0 < x1 && y0 < y1 && e.a[x1-1] == e.b[y1-1] {
			if x1, y1 = x1-1, y1-1; !e.step() {
				return e.ctx.Err()
			}
		}
		if x0 == x1 || y0 == y1 {
			for ; x0 < x1; x0++ {
				e.deleted[x0] = true
			}
			for ; y0 < y1; y0++ {
				e.added[y0] = true
			}
			return nil
		}
		x, y, err := e.middle(x0, x1, y0, y1)
		if err != nil {
			return err
		}
		// The smaller part by a call, the larger here: calls are no deeper than the logarithm then.
		if x-x0+y-y0 < x1-x+y1-y {
			if err := e.compare(x0, x, y0, y); err != nil {
				return err
			}
			x0, y0 = x, y
		} else {
			if err := e.compare(x, x1, y, y1); err != nil {
				return err
			}
			x1, y1 = x, y
		}
	}
}

// middle is a place on a shortest way, or on a good one: ways from both ends are followed until they meet.
func (e *edits) middle(x0, x1, y0, y1 int) (x, y int, err error) {
	low, high := x0-y1, x1-y0 // diagonals that there are
	from, to := x0-y0, x1-y1
	odd := (from-to)%2 != 0
	f := func(k int) *int32 { return &e.forward[k+len(e.b)+1] }
	b := func(k int) *int32 { return &e.backward[k+len(e.b)+1] }
	*f(from), *b(to) = int32(x0), int32(x1)
	fLow, fHigh, bLow, bHigh := from, from, to, to
	for cost := 1; ; cost++ {
		// Outside of what has been reached stands what no way has come to.
		if fLow > low {
			fLow--
			*f(fLow - 1) = -1
		} else {
			fLow++
		}
		if fHigh < high {
			fHigh++
			*f(fHigh + 1) = -1
		} else {
			fHigh--
		}
		for k := fHigh; k >= fLow; k -= 2 {
			x := max(*f(k - 1)+1, *f(k + 1))
			for ; int(x) < x1 && int(x)-k < y1 && e.a[x] == e.b[int(x)-k]; x++ {
				if !e.step() {
					return 0, 0, e.ctx.Err()
				}
			}
			*f(k) = x
			if odd && bLow <= k && k <= bHigh && *b(k) <= x {
				return int(x), int(x) - k, nil
			}
			if !e.step() {
				return 0, 0, e.ctx.Err()
			}
		}
		if bLow > low {
			bLow--
			*b(bLow - 1) = int32(x1) + 1
		} else {
			bLow++
		}
		if bHigh < high {
			bHigh++
			*b(bHigh + 1) = int32(x1) + 1
		} else {
			bHigh--
		}
		for k := bHigh; k >= bLow; k -= 2 {
			x := min(*b(k - 1), *b(k + 1)-1)
			for ; int(x) > x0 && int(x)-k > y0 && e.a[x-1] == e.b[int(x)-k-1]; x-- {
				if !e.step() {
					return 0, 0, e.ctx.Err()
				}
			}
			*b(k) = x
			if !odd && fLow <= k && k <= fHigh && x <= *f(k) {
				return int(x), int(x) - k, nil
			}
			if !e.step() {
				return 0, 0, e.ctx.Err()
			}
		}
		if cost >= maxCost {
			x, y = e.furthest(x0, x1, y0, y1, fLow, fHigh, bLow, bHigh)
			return x, y, nil
		}
	}
}

// furthest is how far the better of the ways from both ends has come.
func (e *edits) furthest(x0, x1, y0, y1, fLow, fHigh, bLow, bHigh int) (x, y int) {
	at := len(e.b) + 1
	most := -1
	for k := fLow; k <= fHigh; k += 2 {
		fx := min(int(e.forward[k+at]), x1)
		if fx-k > y1 {
			fx = y1 + k
		}
		if way := fx - x0 + fx - k - y0; fx >= x0 && fx-k >= y0 && way > most {
			most, x, y = way, fx, fx-k
		}
	}
	for k := bLow; k <= bHigh; k += 2 {
		bx := max(int(e.backward[k+at]), x0)
		if bx-k < y0 {
			bx = y0 + k
		}
		if way := x1 - bx + y1 - (bx - k); bx <= x1 && bx-k <= y1 && way > most {
			most, x, y = way, bx, bx-k
		}
	}
	return x, y
}

package trace

import "testing"

// A ring that is full for long goes on in the chunks that it has, and every step that it holds is found by its number.
func TestRingGoesRound(t *testing.T) {
	const most = 700
	r := ring{maxSteps: most, maxBytes: 1 << 30}
	var gone int64
	for i := range int64(5000) {
		r.add(Step{ID: ID(i)}, func(s *Step) {
			if s.ID != ID(gone) {
				t.Fatalf("step %d went before step %d", s.ID, gone)
			}
			gone++
		})
		if r.end() != i+1 || r.n > most {
			t.Fatalf("%d steps up to %d, after %d", r.n, r.end(), i+1)
		}
		for number := r.first; number < r.end(); number += 13 {
			if id := r.at(number).ID; id != ID(number) {
				t.Fatalf("after %d: step %d stands in the place of %d", i+1, id, number)
			}
		}
	}
	if gone != 5000-most || len(r.chunks) > most/len(chunk{})+2 {
		t.Errorf("%d went, %d chunks", gone, len(r.chunks))
	}
}

func TestRingOfLargeSteps(t *testing.T) {
	r := ring{maxSteps: 1000, maxBytes: 10 * stepWeight}
	for range 3000 {
		r.add(Step{}, func(*Step) {})
	}
	r.add(Step{Cut: string(make([]byte, 9*stepWeight))}, func(*Step) {})
	if r.n != 1 || len(r.chunks) > 2 {
		t.Errorf("%d steps in %d chunks", r.n, len(r.chunks))
	}
}

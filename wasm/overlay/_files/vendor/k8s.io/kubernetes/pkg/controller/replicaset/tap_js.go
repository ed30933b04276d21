package replicaset

// batch is a hook of core/clienttrace, nil unless it sets it: it is told of each batch of pods that
// begins, and what it returns of its end.
var batch func(size, remaining int) (ended func(failed int))

func batches(size, remaining int) func(failed int) {
	if batch == nil {
		return func(int) {}
	}
	return batch(size, remaining)
}

package tainteviction

// carry is a hook of core/clienttrace, nil unless it sets it: what f does by a timer comes of what the caller does.
var carry func(f func()) func()

func carries(f func()) func() {
	if carry == nil {
		return f
	}
	return carry(f)
}

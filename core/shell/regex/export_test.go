package regex

// SetDirect sets what is matched in one go until the returned function is called.
func SetDirect(n int) func() {
	one, all := direct, directAll
	direct, directAll = n, n
	return func() { direct, directAll = one, all }
}

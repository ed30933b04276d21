package tool

import "math/rand/v2"

// randomLetters gives n letters for a name that is not there yet.
func randomLetters(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	name := make([]byte, n)
	for i := range name {
		name[i] = letters[rand.IntN(len(letters))]
	}
	return string(name)
}

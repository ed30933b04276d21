// Package deptest holds the rules of who may import whom, each with its reason, and the test
// that enforces them over every Go file of the repository, whatever its platform.
package deptest

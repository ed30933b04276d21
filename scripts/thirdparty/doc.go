// Command thirdparty writes the licences of what the cluster's module is compiled from, each text once with the
// Go modules that it is of:
//
//	go run ./scripts/thirdparty FILE
//
// The programs of others are told from the build itself (go list -deps for js), their texts from where Go keeps
// their sources. A module without a text is an error: nothing is shipped that nobody has given leave for.
//
// It may import the standard library only.
package main

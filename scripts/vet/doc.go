// Command vet is go vet, asked about our packages only.
//
//	go run ./scripts/vet ./...    go vet, by this program as its tool
//	go vet -vettool=PROGRAM …     the same, where it has been built: wasm/jstest does, for js
//
// Some of vet's checks know more of a function that is called if they have read it: whether it prints as fmt.Printf
// does, whether it ever returns. So go vet has its tool read every package that ours import, 3,000 of them, once for
// each platform. Here these are passed over. What is known of the standard library's print functions is in the tool
// itself, and functions of our own are read; a wrapper in somebody else's module counts as any other function.
// `make test-long` reads all.
package main

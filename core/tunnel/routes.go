package tunnel

import (
	"fmt"
	"io"
	"slices"
)

// MaxRoutes is how many nodes a cluster can tell its hub of.
const MaxRoutes = 1024

// maxRoute is the size of a route in bytes.
const maxRoute = 60

// WriteRoutes says on a stream of KindRoutes which nodes a cluster has, by their routes: all of them,
// each time that they change. The hub knows by it whom to serve first. Of more than MaxRoutes the
// first ones are taken.
func WriteRoutes(w io.Writer, routes []string) error {
	routes = slices.DeleteFunc(slices.Clone(routes), func(r string) bool { return r == "" || len(r) > maxRoute })
	if err := writeMessage(w, routes[:min(len(routes), MaxRoutes)], MaxMessage); err != nil {
		return fmt.Errorf("tell the hub the nodes' routes: %w", err)
	}
	return nil
}

// ReadRoutes reads what WriteRoutes wrote.
func ReadRoutes(r io.Reader) ([]string, error) {
	var routes []string
	if err := readMessage(r, &routes, MaxMessage); err != nil {
		return nil, fmt.Errorf("read the nodes' routes: %w", err)
	}
	if len(routes) > MaxRoutes {
		return nil, fmt.Errorf("read the nodes' routes: there are %d, %d are allowed", len(routes), MaxRoutes)
	}
	return routes, nil
}

package registry

import "context"

// creating is a hook of core/apiserver/apitrace, nil unless it sets it: it is told of each object that a
// store creates, and what it returns of each moment of that, with the object's key once there is one.
var creating func(ctx context.Context, e *Store) (moment func(name, key string))

func (e *Store) creates(ctx context.Context) func(name, key string) {
	if creating != nil {
		if moment := creating(ctx, e); moment != nil {
			return moment
		}
	}
	return func(string, string) {}
}

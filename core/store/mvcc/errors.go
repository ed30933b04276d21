package mvcc

import "errors"

var (
	// ErrCompacted is returned for a revision whose history is no longer held.
	ErrCompacted = errors.New("mvcc: required revision has been compacted")
	// ErrFutureRev is returned for a revision that does not exist yet.
	ErrFutureRev = errors.New("mvcc: required revision is a future revision")
	// ErrLeaseNotFound is returned when a lease does not exist, or no longer does.
	ErrLeaseNotFound = errors.New("mvcc: requested lease not found")
	// ErrLeaseExists is returned when a lease is granted under an ID in use.
	ErrLeaseExists = errors.New("mvcc: lease already exists")
	// ErrLeaseTTLTooLarge is returned for a TTL above MaxLeaseTTL.
	ErrLeaseTTLTooLarge = errors.New("mvcc: too large lease TTL")
	// ErrClosed is returned once the engine was closed.
	ErrClosed = errors.New("mvcc: engine is closed")
)

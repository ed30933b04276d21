package store

import (
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

// lent is a sink that is only closed by a store that has opened.
type lent struct {
	persist.Sink
	given bool
}

func (l *lent) Close() error {
	if !l.given {
		return nil
	}
	return l.Sink.Close()
}

// openRepaired opens the engine on a sink; if that is damaged, it is set aside and repaired first. When
// it fails the sink is closed.
func openRepaired(opts Options, engine mvcc.Options) (*mvcc.Engine, *persist.Log, []persist.Loss, error) {
	sink := &lent{Sink: opts.Sink}
	var lost []persist.Loss
	for {
		log := persist.Open(sink, opts.Keep)
		engine.Journal = log
		e, err := mvcc.Open(engine)
		if err == nil {
			sink.given = true
			return e, log, lost, nil
		}
		err = errors.Join(err, log.Close())
		if damage := (*persist.DamageError)(nil); errors.As(err, &damage) && lost == nil {
			if err = persist.SetAside(opts.Sink); err == nil {
				_, lost, err = persist.Repair(opts.Sink)
			}
			if err == nil {
				continue
			}
			err = fmt.Errorf("%w, which could not be repaired: %w", damage, err)
		}
		return nil, nil, lost, errors.Join(err, opts.Sink.Close())
	}
}

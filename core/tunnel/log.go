package tunnel

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How many lines of one message a log gets, and how often it is told what was left out.
const (
	linesPerSecond = 1
	lineBurst      = 50
	tellLeftOut    = 10 * time.Second
	// maxMessages bounds the table: messages beyond it share one budget.
	maxMessages = 256
)

// Sparing is a logger that strangers cannot fill: lines with the same message come in a burst of 50
// and then once a second, and of those that are left out the number is said every 10 s. What differs
// from line to line belongs into its attributes.
func Sparing(log *slog.Logger) *slog.Logger {
	if _, is := log.Handler().(*sparing); is {
		return log
	}
	return slog.New(&sparing{log.Handler(), &leftOut{told: log.Handler(), messages: map[string]*messageLines{}}})
}

// sparing is the handler of a Sparing logger.
type sparing struct {
	slog.Handler
	lines *leftOut
}

var _ slog.Handler = (*sparing)(nil)

func (s *sparing) Handle(ctx context.Context, r slog.Record) error {
	if !s.lines.allow(r) {
		return nil
	}
	return s.Handler.Handle(ctx, r)
}

func (s *sparing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &sparing{s.Handler.WithAttrs(attrs), s.lines}
}

func (s *sparing) WithGroup(name string) slog.Handler {
	return &sparing{s.Handler.WithGroup(name), s.lines}
}

// leftOut counts lines by their message.
type leftOut struct {
	told slog.Handler

	mu       sync.Mutex
	messages map[string]*messageLines
	waiting  bool // tell will be called
}

type messageLines struct {
	budget *rate.Limiter
	level  slog.Level // the highest of those left out
	n      int        // left out and not told yet
}

func (l *leftOut) allow(r slog.Record) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.Message
	if l.messages[key] == nil && len(l.messages) >= maxMessages {
		key = "others"
	}
	m := l.messages[key]
	if m == nil {
		m = &messageLines{budget: rate.NewLimiter(linesPerSecond, lineBurst)}
		l.messages[key] = m
	}
	if m.budget.Allow() {
		return true
	}
	m.level = max(m.level, r.Level)
	m.n++
	if !l.waiting {
		l.waiting = true
		time.AfterFunc(tellLeftOut, l.tell)
	}
	return false
}

// tell says what was left out since it was last told.
func (l *leftOut) tell() {
	l.mu.Lock()
	l.waiting = false
	var lines []slog.Record
	for message, m := range l.messages {
		if m.n > 0 {
			r := slog.NewRecord(time.Now(), m.level, "lines were left out of this log", 0)
			r.AddAttrs(slog.String("of", message), slog.Int("lines", m.n))
			lines = append(lines, r)
			m.n, m.level = 0, 0
		}
	}
	l.mu.Unlock()
	for _, r := range lines {
		if l.told.Enabled(context.Background(), r.Level) {
			_ = l.told.Handle(context.Background(), r)
		}
	}
}

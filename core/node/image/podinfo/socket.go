package podinfo

import (
	"net/http"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/zap"
)

// Bounds of a WebSocket, as upstream has them but for the size.
const (
	maxMessage   = 64 << 10 // bytes
	socketIdle   = time.Minute
	socketWrite  = 10 * time.Second
	socketTells  = 5 * time.Second // how often it says who it is
	socketPinged = 30 * time.Second
)

// upgrader takes connections of pages of its own host, as it does by default.
var upgrader = websocket.Upgrader{HandshakeTimeout: socketWrite}

// webSocket says again what it hears, and now and then who it is.
func (s *server) webSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.log.Warn("websocket upgrade error", zap.Error(err))
		return
	}
	defer conn.Close()
	conn.SetReadLimit(maxMessage)
	alive := func(string) error { return conn.SetReadDeadline(time.Now().Add(socketIdle)) }
	conn.SetPongHandler(alive)
	heard, gone := make(chan string), make(chan struct{})
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(gone)
		for {
			if alive("") != nil {
				return
			}
			_, message, err := conn.ReadMessage()
			if err != nil {
				return
			}
			select {
			case heard <- string(message):
			case <-done:
				return
			}
		}
	}()
	tell, ping := time.NewTicker(socketTells), time.NewTicker(socketPinged)
	defer tell.Stop()
	defer ping.Stop()
	for err == nil {
		_ = conn.SetWriteDeadline(time.Now().Add(socketWrite)) // it fails where the write does
		select {
		case <-r.Context().Done():
			return
		case <-gone:
			return
		case message := <-heard:
			err = conn.WriteJSON(struct {
				Time    time.Time `json:"ts"`
				Message string    `json:"msg"`
			}{time.Now(), message})
		case <-tell.C:
			err = conn.WriteJSON(struct {
				Time time.Time `json:"ts"`
				Host string    `json:"server"`
			}{time.Now(), s.p.Hostname})
		case <-ping.C:
			err = conn.WriteMessage(websocket.PingMessage, nil)
		}
	}
}

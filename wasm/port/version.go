package port

import "fmt"

// Version is the protocol's: VERSION in protocol.ts. It goes up with each change after which an
// older page or an older module would misunderstand the other.
const Version = 4

// Hello tells the page which version this end speaks; the first message. page is what the page's
// own end had said, 0 if it said nothing: where they differ, Hello returns what to tell people.
func (s *Server) Hello(page int) error {
	if err := s.Post(Out{"type": "hello", "version": Version}); err != nil {
		return err
	}
	if page == Version {
		return nil
	}
	return fmt.Errorf("the page and the cluster's module are not of the same age: the page speaks version %d of their protocol, the module %d", page, Version)
}

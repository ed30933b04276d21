package cache

// Hooks of core/clienttrace; nil unless it sets them. distributed is told of each event that an
// informer hands to its listeners, delivering of each that a handler is given: what it returns is
// called after.
var (
	distributed func(event string, object any, listeners int)
	delivering  func(object any) (delivered func())
)

// distributes is called for events that say something new.
func distributes(notification any, sync bool, listeners int) {
	if distributed == nil || sync || listeners == 0 {
		return
	}
	switch n := notification.(type) {
	case addNotification:
		if !n.isInInitialList {
			distributed("added", n.newObj, listeners)
		}
	case updateNotification:
		distributed("updated", n.newObj, listeners)
	case deleteNotification:
		distributed("deleted", n.oldObj, listeners)
	}
}

func delivers(notification any) func() {
	if delivering != nil {
		switch n := notification.(type) {
		case addNotification:
			if !n.isInInitialList {
				return delivering(n.newObj)
			}
		case updateNotification:
			return delivering(n.newObj)
		case deleteNotification:
			return delivering(n.oldObj)
		}
	}
	return func() {}
}

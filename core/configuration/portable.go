package configuration

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Secret are the names of the files that hold secrets, or may: passwords, tokens and keys, and whatever a file is that
// only another one knows, as kubeconfigs of webhooks.
func (f Files) Secret() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		switch name {
		case Authentication, Authorization, ABAC, Admission, Audit, Kubelet, Outside, APIServerFlags, SchedulerFlags:
		case Scheduler:
			// Extenders may be asked with a key that stands there.
			if bytes.Contains(f[name], []byte("keyData")) {
				names = append(names, name)
			}
		default:
			if f.Has(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Portable is what goes along when a cluster moves, as Save writes it: this configuration, and none before it. Nil if
// there is none; and, without secrets, if it has any, as the rest of it would be refused without them, or would be
// another one. Where a cluster may reach outside is for its next owner to say.
func (f Files) Portable(secrets bool) ([]byte, error) {
	f = f.Clone()
	delete(f, Outside)
	if len(f) == 0 || !secrets && len(f.Secret()) > 0 {
		return nil, nil
	}
	return json.Marshal(Kept{Now: f})
}

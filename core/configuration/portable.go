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

// Arrived is what is kept of a configuration that came in a file of a cluster, as somebody wrote it: all of it but where it
// may reach outside, now or by going back. The error says why it is none.
func Arrived(b []byte) ([]byte, error) {
	k, err := Parse(b)
	if err != nil {
		return nil, err
	}
	for _, f := range append([]Files{k.Now}, k.Before...) {
		delete(f, Outside)
	}
	return json.Marshal(k)
}

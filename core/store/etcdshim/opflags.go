package etcdshim

import (
	"fmt"
	"reflect"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// opFlags are the options of a watch that clientv3.Op has no getter for.
type opFlags struct {
	created, progress, prevKV, noPut, noDelete bool
}

// opField names Op's unexported fields, in opFlags' order (etcd: client/v3/op.go).
var opFields = [...]string{"createdNotify", "progressNotify", "prevKV", "filterPut", "filterDelete"}

// flagsOf reads the fields by reflection, which may read unexported ones. The
// other way to learn them is to run etcd's own watcher, with its goroutines and
// unbounded buffers, against a fake stream.
func flagsOf(op *clientv3.Op) opFlags {
	v := reflect.ValueOf(op).Elem()
	get := func(i int) bool { return v.FieldByName(opFields[i]).Bool() }
	return opFlags{created: get(0), progress: get(1), prevKV: get(2), noPut: get(3), noDelete: get(4)}
}

// checkOpFields fails if an upgrade of the etcd client renamed a field, so that
// it is told when a store is opened and not by watches that ignore options.
func checkOpFields() error {
	t := reflect.TypeFor[clientv3.Op]()
	for _, name := range opFields {
		if f, ok := t.FieldByName(name); !ok || f.Type.Kind() != reflect.Bool {
			return fmt.Errorf("etcdshim: clientv3.Op has no bool field %s: adapt opFields to this version of the etcd client", name)
		}
	}
	return nil
}

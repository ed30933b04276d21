package mvcc

import (
	"cmp"
	"strings"
)

// Target is the part of a KV that a Compare looks at.
type Target int

// The targets, as in etcd's Compare.CompareTarget.
const (
	TargetVersion Target = iota
	TargetCreate
	TargetMod
	TargetValue
	TargetLease
)

// Operator is how a Compare compares.
type Operator int

// The operators, as in etcd's Compare.CompareResult.
const (
	Equal Operator = iota
	Greater
	Less
	NotEqual
)

// Compare is one condition of a transaction.
type Compare struct {
	Key, End string // as in Query
	Target   Target
	Op       Operator
	Int      int64  // what every target but TargetValue is compared with
	Value    string // what TargetValue is compared with
}

// Check tells whether all conditions hold. A key that does not exist compares as
// one with all numbers 0, and never holds for TargetValue; a range holds if all
// its keys do (etcd: server/etcdserver/txn/txn.go, applyCompare).
func (tx *Tx) Check(cs ...Compare) (bool, error) {
	for i := range cs {
		c := &cs[i]
		holds, found := true, false
		_, err := tx.Range(Query{Key: c.Key, End: c.End}, func(kv KV) {
			found = true
			holds = holds && c.holds(&kv)
		})
		if err != nil {
			return false, err
		}
		if !found {
			holds = c.Target != TargetValue && c.holds(&KV{})
		}
		if !holds {
			return false, nil
		}
	}
	return true, nil
}

func (c *Compare) holds(kv *KV) bool {
	var order int
	switch c.Target {
	case TargetVersion:
		order = cmp.Compare(kv.Version, c.Int)
	case TargetCreate:
		order = cmp.Compare(kv.CreateRevision, c.Int)
	case TargetMod:
		order = cmp.Compare(kv.ModRevision, c.Int)
	case TargetLease:
		order = cmp.Compare(kv.Lease, c.Int)
	case TargetValue:
		order = strings.Compare(kv.Value, c.Value)
	}
	switch c.Op {
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	case Greater:
		return order > 0
	default:
		return order < 0
	}
}

// Command storebench measures the store beside an etcd embedded in the same process, in
// the same run, and prints `name value unit` lines:
//
//	go run ./scripts/storebench
//
// Values are 3,000 bytes, about a pod in protobuf. store is in memory; etcd writes
// its files without waiting for the disk, as upstream's tests run it.
// kept_store has a journal and waits for the disk with each write (SyncAlways), and
// so does synced_etcd. What is measured is what an apiserver sees: etcd's figures
// have its client, gRPC and a loopback connection in them.
//
// It may import core/store and scripts/etcdtest; nothing may import it.
package main

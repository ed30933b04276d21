//go:build !js

package main

import "fmt"

// figures are those that were printed, by subject and name.
var figures = map[string]map[string]float64{}

func report(subject string, m measurement, value float64) {
	if figures[subject] == nil {
		figures[subject] = map[string]float64{}
	}
	figures[subject][m.name] = value
	fmt.Printf("%s_%s %.3g %s\n", subject, m.name, value, m.unit)
}

// printRatios says how many times better the store is than etcd.
func printRatios() {
	for _, m := range all {
		fmt.Printf("etcd_over_store_%s %.2f x\n", m.name, figures["etcd"][m.name]/figures["store"][m.name])
	}
	for _, m := range puts {
		fmt.Printf("synced_etcd_over_kept_store_%s %.2f x\n", m.name, figures["synced_etcd"][m.name]/figures["kept_store"][m.name])
	}
}

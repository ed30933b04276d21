package podnet

import (
	"errors"
	"fmt"
	"testing"
)

func allocate(t *testing.T, a *IPAM, owner string) string {
	t.Helper()
	ips, err := a.Allocate(owner)
	if err != nil {
		t.Fatalf("allocate for %s: %v", owner, err)
	}
	return fmt.Sprint(ips)
}

func TestIPAMGivesOneAfterTheOther(t *testing.T) {
	var a IPAM
	if _, err := a.Allocate("x"); err == nil || a.Ready() {
		t.Fatal("an allocator without a range gives an address")
	}
	if err := a.SetCIDR("10.244.1.0/29"); err != nil {
		t.Fatal(err)
	}
	// .0 is the network, .1 the gateway, .7 the broadcast address.
	for i := 2; i <= 6; i++ {
		want := fmt.Sprintf("[10.244.1.%d]", i)
		if got := allocate(t, &a, fmt.Sprint("pod", i)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if _, err := a.Allocate("pod7"); !errors.Is(err, ErrExhausted) {
		t.Errorf("the sixth of five addresses: %v", err)
	}
	a.Release("pod4")
	a.Release("pod2")
	if got := a.InUse(); got != 3 {
		t.Errorf("%d in use, want 3", got)
	}
	if got := allocate(t, &a, "next"); got != "[10.244.1.2]" {
		t.Errorf("after the last comes the first that is free, got %s", got)
	}
	if got := allocate(t, &a, "next2"); got != "[10.244.1.4]" {
		t.Errorf("got %s", got)
	}
}

func TestIPAMDoesNotReuseAtOnce(t *testing.T) {
	var a IPAM
	if err := a.SetCIDR("10.244.2.0/24"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range 253 {
		ip := allocate(t, &a, fmt.Sprint(i))
		if seen[ip] {
			t.Fatalf("%s came back after %d allocations", ip, i)
		}
		seen[ip] = true
		a.Release(fmt.Sprint(i))
	}
	if got := allocate(t, &a, "again"); got != "[10.244.2.2]" {
		t.Errorf("after a whole round got %s", got)
	}
}

func TestIPAMKeepsItsPlaceWhenToldTheSame(t *testing.T) {
	var a IPAM
	for range 3 {
		if err := a.SetCIDR("10.244.3.0/24, fd00:10:244:3::/64"); err != nil {
			t.Fatal(err)
		}
		allocate(t, &a, "p")
		a.Release("p")
	}
	if got := allocate(t, &a, "p"); got != "[10.244.3.5 fd00:10:244:3::5]" {
		t.Errorf("got %s", got)
	}
}

func TestIPAMRefusesBadRanges(t *testing.T) {
	var a IPAM
	for _, cidr := range []string{"", "10.244.1.0", "10.244.1.0/31", "10.244.1.0/33", "10.244.1.0/24,x"} {
		if err := a.SetCIDR(cidr); err == nil {
			t.Errorf("CIDR %q is taken", cidr)
		}
	}
}

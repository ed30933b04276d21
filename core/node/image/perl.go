package image

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"strconv"

	"github.com/tabernetes/tabernetes/core/program"
)

// perlImage is for the Job of Kubernetes' documentation, which computes π. There is no Perl in it: what is
// not that one line is told so.
func perlImage(tools map[string]program.Program) Image {
	return userland(Image{
		Names: []string{"perl"},
		Tags: Tags{
			Words: []string{"latest", "stable", "devel"}, Releases: []Release{{5, 59}},
			Variants: []string{"slim", "threaded", "buster", "bullseye", "bookworm", "trixie"},
		},
		Cmd:      []string{"perl5", "-de0"},
		Env:      []string{defaultPath},
		Files:    base(debianRelease),
		Programs: map[string]program.Program{"/usr/local/bin/perl": perl, "/usr/local/bin/perl5": perl},
	}, "/bin/busybox", withBash(tools))
}

var (
	perlPi = regexp.MustCompile(`^\s*print\s+(?:bpi\(\s*(\d{1,5})\s*\)|bpi\s+(\d{1,5}))\s*;?\s*$`)
	// maxPi is how many digits are computed; the documentation asks for 2000.
	maxPi = 20_000
)

// perl runs `perl -Mbignum=bpi -wle 'print bpi(N)'`: N digits of π.
func perl(ctx context.Context, p *program.Process) int {
	if len(p.Args) > 1 && (p.Args[1] == "-v" || p.Args[1] == "--version") {
		fmt.Fprintln(p.Stdout, "This image has no Perl of its own: it computes bpi(N) for lessons, and nothing else.")
		return 0
	}
	var digits int
	if len(p.Args) > 2 {
		if m := perlPi.FindStringSubmatch(p.Args[len(p.Args)-1]); m != nil {
			digits, _ = strconv.Atoi(m[1] + m[2]) // at most five digits
		}
	}
	if digits < 1 || digits > maxPi {
		fmt.Fprintf(p.Stderr, "perl: this tab has no Perl; its image runs `perl -Mbignum=bpi -wle 'print bpi(2000)'` only, with up to %d digits\n", maxPi)
		return 255
	}
	text, err := pi(program.Yield(ctx), digits)
	if err != nil {
		return 128 + int(program.SIGKILL)
	}
	fmt.Fprintln(p.Stdout, text)
	return 0
}

// pi is π rounded to so many digits, by Machin's formula: π/4 = 4 arctan(1/5) - arctan(1/239).
func pi(ctx context.Context, digits int) (string, error) {
	const guard = 10
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits+guard)), nil)
	fifth, err := arctan(ctx, unit, 5)
	if err != nil {
		return "", err
	}
	small, err := arctan(ctx, unit, 239)
	if err != nil {
		return "", err
	}
	sum := fifth.Lsh(fifth, 4)        // 16 arctan(1/5)
	sum.Sub(sum, small.Lsh(small, 2)) // - 4 arctan(1/239)
	cut := big.NewInt(0).Exp(big.NewInt(10), big.NewInt(guard+1), nil)
	sum.Add(sum, new(big.Int).Rsh(cut, 1)).Quo(sum, cut)
	all := sum.String()
	if digits == 1 {
		return all, nil
	}
	return all[:1] + "." + all[1:], nil
}

// arctan is unit × arctan(1/x).
func arctan(ctx context.Context, unit *big.Int, x int64) (*big.Int, error) {
	power := new(big.Int).Quo(unit, big.NewInt(x))
	sum, term, square := new(big.Int).Set(power), new(big.Int), big.NewInt(x*x)
	for n := int64(3); power.Sign() != 0; n += 2 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		power.Quo(power, square)
		term.Quo(power, big.NewInt(n))
		if n%4 == 3 {
			sum.Sub(sum, term)
		} else {
			sum.Add(sum, term)
		}
	}
	return sum, nil
}

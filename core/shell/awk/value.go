package awk

import (
	"math"
	"strconv"
	"strings"
)

// value is a number, a string, or input that looks like a number and is both.
type value struct {
	s     string
	n     float64
	isNum bool
	isStr bool // also for input that looks like a number: then both
}

var uninitialised = value{}

func num(n float64) value { return value{n: n, isNum: true} }
func str(s string) value  { return value{s: s, isStr: true} }

func boolean(b bool) value {
	if b {
		return num(1)
	}
	return num(0)
}

// input is a string from outside, which compares as a number if it looks like one.
func input(s string) value {
	v := str(s)
	trimmed := strings.Trim(s, " \t\n\r")
	unsigned := strings.TrimLeft(trimmed, "+-")
	if len(trimmed)-len(unsigned) <= 1 && unsigned != "" && numberLength(unsigned) == len(unsigned) {
		v.n, v.isNum = toNumber(s), true
	}
	return v
}

// toNumber reads the number that s begins with; 0 if there is none.
func toNumber(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\r")
	sign := 0
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign = 1
	}
	n := numberLength(s[sign:])
	if n == 0 {
		return 0
	}
	f, _ := strconv.ParseFloat(s[:sign+n], 64)
	return f
}

func (v value) number() float64 {
	if v.isNum {
		return v.n
	}
	return toNumber(v.s)
}

// text is the value as a string; numbers by format (CONVFMT, or OFMT for print).
func (v value) text(format string) string {
	if v.isStr || !v.isNum {
		return v.s
	}
	if v.n == math.Trunc(v.n) && math.Abs(v.n) < 1e16 {
		return strconv.FormatInt(int64(v.n), 10)
	}
	return sprintf(format, []value{v}, format)
}

func (v value) truth() bool {
	if v.isStr && !v.isNum {
		return v.s != ""
	}
	return v.number() != 0
}

// compare orders as numbers if both are, or look like it; as strings otherwise.
func compare(x, y value, format string) int {
	if (x.isNum || !x.isStr) && (y.isNum || !y.isStr) {
		a, b := x.number(), y.number()
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	return strings.Compare(x.text(format), y.text(format))
}

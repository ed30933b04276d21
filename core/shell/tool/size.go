package tool

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// size is a number of bytes, with human as 1.5K, 20M.
func size(n int64, human bool) string {
	if !human || n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	value := float64(n)
	for _, unit := range "KMGTP" {
		if value /= 1024; value < 1024 {
			return fmt.Sprintf("%.1f%c", value, unit)
		}
	}
	return strconv.FormatInt(n, 10)
}

// duration reads 5, 0.5, 10s, 2m, 1h, 1d.
func duration(text string) (time.Duration, error) {
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	unit := time.Second
	if text != "" {
		if u, ok := units[text[len(text)-1]]; ok {
			unit, text = u, text[:len(text)-1]
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || value < 0 || strings.ContainsAny(text, "xX") {
		return 0, fmt.Errorf("invalid number '%s'", text)
	}
	if value*float64(unit) > float64(1<<62) {
		return 1 << 62, nil
	}
	return time.Duration(value * float64(unit)), nil
}

// count reads 10, 2k, 1M: a number of lines or bytes.
func count(text string) (int64, error) {
	factor := int64(1)
	if text != "" {
		switch text[len(text)-1] {
		case 'b':
			factor = 512
		case 'k', 'K':
			factor = 1 << 10
		case 'm', 'M':
			factor = 1 << 20
		case 'g', 'G':
			factor = 1 << 30
		}
		if factor > 1 {
			text = text[:len(text)-1]
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("invalid number '%s'", text)
	}
	return n * factor, nil
}

package tool

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

func init() { tools["date"] = date }

// formatMemory is what a character of a format comes to.
const formatMemory = 24

func date(t *T) int {
	var utc, rfc bool
	var when, iso, reference string
	for i, arg := range t.Args {
		if spec, ok := strings.CutPrefix(arg, "-I"); ok && i > 0 && spec != "" {
			t.Args[i] = "--iso-8601=" + spec
		}
	}
	args, code, ok := t.flags("[-uR] [-I[SPEC]] [-d TIME] [-r FILE] [+FMT]", func(f *pflag.FlagSet) {
		f.BoolVarP(&utc, "utc", "u", false, "")
		f.BoolVarP(&rfc, "rfc-2822", "R", false, "")
		f.StringVarP(&iso, "iso-8601", "I", "", "")
		f.Lookup("iso-8601").NoOptDefVal = "date"
		f.StringVarP(&when, "date", "d", "", "")
		f.StringVarP(&reference, "reference", "r", "", "")
	})
	if !ok {
		return code
	}
	now := time.Now()
	if reference != "" {
		info, err := t.FS.Stat(t.Path(reference))
		if t.failed(reference, err) {
			return 1
		}
		now = info.ModTime()
	}
	if when != "" {
		if now, ok = parseDate(when); !ok {
			t.fail("invalid date '%s'", when)
			return 1
		}
	}
	now = now.UTC() // containers have no time zone unless their image brings one
	format := "%a %b %e %H:%M:%S %Z %Y"
	switch {
	case rfc:
		format = "%a, %d %b %Y %H:%M:%S %z"
	case iso != "":
		format = map[string]string{"date": "%Y-%m-%d", "hours": "%Y-%m-%dT%H%:z", "minutes": "%Y-%m-%dT%H:%M%:z",
			"seconds": "%Y-%m-%dT%H:%M:%S%:z", "ns": "%Y-%m-%dT%H:%M:%S,%N%:z"}[iso]
	}
	if len(args) > 0 {
		var isFormat bool
		if format, isFormat = strings.CutPrefix(args[0], "+"); !isFormat {
			t.fail("can't set date: Operation not permitted")
			return 1
		}
	}
	if t.failed("format", t.hold(formatMemory*len(format))) {
		return 1
	}
	t.print(strftime(format, now) + "\n")
	return 0
}

// parseDate reads the forms that -d takes: @seconds, ISO and RFC dates, now, "N units ago".
func parseDate(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if text == "now" || text == "" {
		return time.Now(), true
	}
	if seconds, ok := strings.CutPrefix(text, "@"); ok {
		n, err := strconv.ParseInt(seconds, 10, 64)
		return time.Unix(n, 0), err == nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04",
		"2006-01-02", "15:04:05", "15:04", time.RFC1123Z, time.RFC1123, time.UnixDate, "200601021504", "200601021504.05"} {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if at.Year() == 0 {
			y, m, d := time.Now().UTC().Date()
			at = at.AddDate(y, int(m)-1, d-1)
		}
		return at, true
	}
	return relativeDate(text)
}

func relativeDate(text string) (time.Time, bool) {
	at := time.Now()
	words := strings.Fields(text)
	sign := 1
	if n := len(words); n > 0 && words[n-1] == "ago" {
		sign, words = -1, words[:n-1]
	}
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "yesterday":
			at = at.AddDate(0, 0, -1)
			continue
		case "tomorrow":
			at = at.AddDate(0, 0, 1)
			continue
		}
		n, err := strconv.Atoi(words[i])
		if err != nil || i+1 >= len(words) {
			return at, false
		}
		n *= sign
		i++
		switch strings.TrimSuffix(words[i], "s") {
		case "second", "sec":
			at = at.Add(time.Duration(n) * time.Second)
		case "minute", "min":
			at = at.Add(time.Duration(n) * time.Minute)
		case "hour":
			at = at.Add(time.Duration(n) * time.Hour)
		case "day":
			at = at.AddDate(0, 0, n)
		case "week":
			at = at.AddDate(0, 0, 7*n)
		case "month":
			at = at.AddDate(0, n, 0)
		case "year":
			at = at.AddDate(n, 0, 0)
		default:
			return at, false
		}
	}
	return at, len(words) > 0
}

// strftime formats by strftime(3)'s conversions.
func strftime(format string, at time.Time) string {
	layouts := map[byte]string{
		'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'h': "Jan", 'd': "02", 'e': "_2",
		'H': "15", 'I': "03", 'm': "01", 'M': "04", 'p': "PM", 'S': "05", 'y': "06", 'Y': "2006",
		'z': "-0700", 'Z': "MST", 'D': "01/02/06", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04",
		'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'r': "03:04:05 PM",
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		plain := format[i] == '-' && i+1 < len(format)
		if plain || format[i] == ':' && i+1 < len(format) {
			i++
		}
		text := ""
		switch c := format[i]; c {
		case '%':
			text = "%"
		case 'n':
			text = "\n"
		case 't':
			text = "\t"
		case 's':
			text = strconv.FormatInt(at.Unix(), 10)
		case 'N':
			text = fmt.Sprintf("%09d", at.Nanosecond())
		case 'j':
			text = fmt.Sprintf("%03d", at.YearDay())
		case 'u':
			text = strconv.Itoa((int(at.Weekday())+6)%7 + 1)
		case 'w':
			text = strconv.Itoa(int(at.Weekday()))
		case 'V', 'W', 'U':
			_, week := at.ISOWeek()
			text = fmt.Sprintf("%02d", week)
		default:
			layout, ok := layouts[c]
			if !ok {
				text = "%" + string(rune(c))
			} else if c == 'z' && format[i-1] == ':' {
				text = at.Format("-07:00")
			} else {
				text = at.Format(layout)
			}
		}
		if plain {
			text = strings.TrimLeft(text, "0 ")
		}
		b.WriteString(text)
	}
	return b.String()
}

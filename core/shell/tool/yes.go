package tool

import "strings"

func init() { tools["yes"] = yes }

func yes(t *T) int {
	line := "y\n"
	if len(t.Args) > 1 {
		line = strings.Join(t.Args[1:], " ") + "\n"
	}
	for {
		if _, err := t.out.WriteString(line); err != nil {
			return 1
		}
	}
}

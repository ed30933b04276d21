package openssl

import (
	"fmt"
	"strings"
)

// config is a configuration file: sections with their lines, in order. What stands before the first section is "default".
type config map[string][]entry

type entry struct {
	key, value string
	line       int
}

// maxLines is how many lines a configuration may have.
const maxLines = 10000

// parseConfig follows config(5ssl): [ section ], key = value, # comments, a backslash at a line's end, quotes, $name and
// ${section::name}.
func parseConfig(text string) (config, error) {
	c, section := config{}, "default"
	lines := strings.Split(text, "\n")
	if len(lines) > maxLines {
		return nil, fmt.Errorf("it has more than %d lines", maxLines)
	}
	for i := 0; i < len(lines); i++ {
		at, line := i+1, lines[i]
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + lines[i]
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			name, _, ok := strings.Cut(line[1:], "]")
			if !ok {
				return nil, fmt.Errorf("line %d: a section's name ends in ]", at)
			}
			section = strings.TrimSpace(name)
			c[section] = append(c[section], entry{})[:len(c[section])] // it is there, even if nothing is in it
		case line[0] == '.': // .include and its like
			return nil, fmt.Errorf("line %d: %.40q is not known here", at, line)
		default:
			key, value, ok := strings.Cut(line, "=")
			if !ok {
				return nil, fmt.Errorf("line %d: a line is key = value, and not %.60q", at, line)
			}
			value, err := c.value(strings.TrimSpace(value), section)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", at, err)
			}
			c[section] = append(c[section], entry{strings.TrimSpace(key), value, at})
		}
	}
	return c, nil
}

// value takes quotes and comments off, and puts in what $name stands for.
func (c config) value(text, section string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '#':
			return strings.TrimSpace(out.String()), nil
		case b == '"' || b == '\'':
			end := strings.IndexByte(text[i+1:], b)
			if end < 0 {
				return "", fmt.Errorf("a quote %c has no end", b)
			}
			out.WriteString(text[i+1 : i+1+end])
			i += end + 1
		case b == '\\' && i+1 < len(text):
			i++
			out.WriteByte(text[i])
		case b == '$':
			name, length := reference(text[i+1:])
			if length == 0 {
				return "", fmt.Errorf("%.40q names nothing", text[i:])
			}
			in := section
			if s, n, ok := strings.Cut(name, "::"); ok {
				in, name = s, n
			}
			value, ok := c.get(in, name)
			if !ok {
				value, ok = c.get("default", name)
			}
			if !ok {
				return "", fmt.Errorf("%.60q is not set before", name)
			}
			out.WriteString(value)
			i += length
		default:
			out.WriteByte(b)
		}
		if out.Len() > maxInput {
			return "", fmt.Errorf("a value is longer than %d bytes", maxInput)
		}
	}
	return strings.TrimSpace(out.String()), nil
}

// reference reads what follows a $: name, {name} or (name), and how long it is.
func reference(text string) (name string, length int) {
	if text != "" && (text[0] == '{' || text[0] == '(') {
		end := strings.IndexAny(text, "})")
		if end < 0 {
			return "", 0
		}
		return text[1:end], end + 1
	}
	for length < len(text) && (text[length] == '_' || text[length] == ':' || text[length]|0x20 >= 'a' && text[length]|0x20 <= 'z' || text[length] >= '0' && text[length] <= '9') {
		length++
	}
	return text[:length], length
}

// get is the last value of a key.
func (c config) get(section, key string) (value string, ok bool) {
	for _, e := range c[section] {
		if e.key == key {
			value, ok = e.value, true
		}
	}
	return value, ok
}

// readConfig reads a configuration from a file.
func (r *Run) readConfig(name string) (config, error) {
	data, err := r.read(name)
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(name), err)
	}
	return c, nil
}

package line

import (
	"io"
	"strconv"
	"unicode/utf8"
)

// Keys reads keys: a rune, or the name of what an escape sequence stands for.
type Keys struct{ r io.Reader }

// NewKeys reads keys from a terminal in raw mode, and no byte more than each has.
func NewKeys(r io.Reader) *Keys { return &Keys{r} }

func (k *Keys) byte() (byte, error) {
	var one [1]byte
	_, err := io.ReadFull(k.r, one[:])
	return one[0], err
}

// maxSequence bounds an escape sequence; a terminal's have a few bytes.
const maxSequence = 32

// Next gives one key: its character, or "up", "home", "page-down" … for an escape sequence, "" for
// one that means nothing here.
func (k *Keys) Next() (string, error) {
	c, err := k.byte()
	if err != nil {
		return "", err
	}
	if c == 0x1b {
		return k.escape()
	}
	char := []byte{c}
	for !utf8.FullRune(char) {
		if c, err = k.byte(); err != nil {
			return "", err
		}
		char = append(char, c)
	}
	return string(char), nil
}

func (k *Keys) escape() (string, error) {
	c, err := k.byte()
	if err != nil {
		return "", err
	}
	switch c {
	case 'b':
		return "word-left", nil
	case 'f':
		return "word-right", nil
	case '[', 'O':
	default:
		return "", nil
	}
	params := ""
	for {
		if c, err = k.byte(); err != nil {
			return "", err
		}
		if c >= 0x40 && c <= 0x7e {
			break
		}
		if len(params) < maxSequence {
			params += string(rune(c))
		}
	}
	names := map[string]string{
		"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end",
		"1~": "home", "7~": "home", "4~": "end", "8~": "end", "3~": "delete",
		"5~": "page-up", "6~": "page-down",
		"1;5D": "word-left", "1;5C": "word-right", "1;3D": "word-left", "1;3C": "word-right",
	}
	return names[params+string(rune(c))], nil // also swallows the marks of a bracketed paste
}

// visible is the width of text in cells, without its colours.
func visible(text string) int {
	n, escape := 0, false
	for _, r := range text {
		switch {
		case r == 0x1b:
			escape = true
		case escape:
			escape = !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		default:
			n++
		}
	}
	return n
}

func itoa(n int) string { return strconv.Itoa(n) }

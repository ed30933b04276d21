package join

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxToken is the longest line with a token, in bytes; a token has 23.
const maxToken = 1024

// token is the one to join with: the first line of a file, or of standard input if that is named "-".
func (o *Options) token(stdin io.Reader) (string, error) {
	switch {
	case o.TokenFile == "":
		return o.Token, nil
	case o.Token != "":
		return "", errors.New("both --token and --token-file are given; one is enough")
	case o.TokenFile == "-":
		return readToken("standard input", stdin)
	}
	f, err := os.Open(o.TokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	defer f.Close()
	return readToken(o.TokenFile, f)
}

func readToken(name string, r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxToken)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("--token-file: read %s: %w", name, err)
	}
	if line = strings.TrimSpace(line); line == "" {
		return "", fmt.Errorf("--token-file: there is no token in %s", name)
	}
	return line, nil
}

// WithoutToken are the arguments of a command that is to read its token from standard input instead; ok
// is false if the token cannot be told from the other arguments.
func WithoutToken(args []string, token string) (without []string, ok bool) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--token" && i+1 < len(args) && args[i+1] == token:
			i++
			without, ok = append(without, "--token-file=-"), true
		case arg == "--token="+token:
			without, ok = append(without, "--token-file=-"), true
		default:
			without = append(without, arg)
		}
	}
	return without, ok && !strings.Contains(strings.Join(without, "\n"), token)
}

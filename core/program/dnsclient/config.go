package dnsclient

import (
	"strconv"
	"strings"
	"time"
)

// Bounds of resolv.conf(5) as the C library has them, and of the search list as Kubernetes does.
const (
	maxServers  = 3
	maxSearches = 32
	maxSearch   = 2048 // bytes of all
)

// Config is what a resolv.conf(5) says.
type Config struct {
	Servers  []string // addresses
	Search   []string // domains, without a dot at the end
	Ndots    int
	Timeout  time.Duration // of one question
	Attempts int
}

// ParseConfig reads the text of a resolv.conf(5). What it does not know it leaves out; no server is
// the one on localhost.
func ParseConfig(text string) Config {
	c := Config{Ndots: 1, Timeout: 5 * time.Second, Attempts: 2}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		switch fields[0] {
		case "nameserver":
			if len(c.Servers) < maxServers {
				c.Servers = append(c.Servers, fields[1])
			}
		case "search":
			c.Search = searches(fields[1:])
		case "domain":
			c.Search = searches(fields[1:2])
		case "options":
			for _, o := range fields[1:] {
				c.option(o)
			}
		}
	}
	if len(c.Servers) == 0 {
		c.Servers = []string{"127.0.0.1"}
	}
	return c
}

func searches(domains []string) (list []string) {
	size := 0
	for _, d := range domains {
		if d = strings.Trim(d, "."); d == "" {
			continue
		}
		if size += len(d) + 1; len(list) == maxSearches || size > maxSearch {
			break
		}
		list = append(list, d)
	}
	return list
}

func (c *Config) option(text string) {
	name, value, _ := strings.Cut(text, ":")
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return
	}
	switch name {
	case "ndots":
		c.Ndots = min(n, 15)
	case "timeout":
		c.Timeout = time.Duration(max(1, min(n, 30))) * time.Second
	case "attempts":
		c.Attempts = max(1, min(n, 5))
	}
}

// Candidates are the fully qualified names that name may mean, in order.
func (c Config) Candidates(name string) []string {
	if strings.HasSuffix(name, ".") {
		return []string{name}
	}
	var names []string
	for _, domain := range c.Search {
		names = append(names, name+"."+domain+".")
	}
	if strings.Count(name, ".") >= c.Ndots {
		return append([]string{name + "."}, names...)
	}
	return append(names, name+".")
}

package lesson

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// front is what stands between two lines of --- at the beginning.
type front struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Minutes     int      `json:"minutes"`
	Nodes       int      `json:"nodes"`
	Manifests   []string `json:"manifests"`
}

const (
	maxFront     = 4 << 10
	maxManifests = 20
	maxMinutes   = 600
)

var frontMatter = regexp.MustCompile(`(?s)^---\n(.*?)\n---(?:\n|$)`)

// readFront takes it off the text; lines of it that are gone count for the rest.
func (l *Lesson) readFront(text string, problems *Problems) (rest string, lines int) {
	m := frontMatter.FindStringSubmatch(text)
	if m == nil {
		problems.add(1, "it does not begin with its title: three lines, \"---\", \"title: …\", \"---\"")
		return text, 0
	}
	rest, lines = text[len(m[0]):], strings.Count(m[0], "\n")
	if len(m[1]) > maxFront {
		problems.add(1, "what stands between the lines of --- is longer than %d bytes", maxFront)
		return rest, lines
	}
	var f front
	if err := yaml.UnmarshalStrict([]byte(m[1]), &f); err != nil {
		problems.add(1, "read what stands between the lines of ---: %v", err)
		return rest, lines
	}
	switch {
	case f.Title == "" || len(f.Title) > MaxTitle:
		problems.add(1, "a title of at most %d bytes is wanted", MaxTitle)
	case len(f.Description) > 4*MaxTitle:
		problems.add(1, "a description has at most %d bytes", 4*MaxTitle)
	case f.Minutes < 0 || f.Minutes > maxMinutes:
		problems.add(1, "minutes: a number from 1 to %d is wanted", maxMinutes)
	case f.Nodes < 0 || f.Nodes > MaxNodes:
		problems.add(1, "nodes: a number from 1 to %d is wanted", MaxNodes)
	case len(f.Manifests) > maxManifests:
		problems.add(1, "at most %d manifests can be named", maxManifests)
	}
	for _, name := range f.Manifests {
		if !inFolder(name, ".yaml", ".yml", ".json") {
			problems.add(1, "the manifest %q is no file of the lesson's folder that ends with .yaml or .json", cut(name))
		}
	}
	l.Title, l.Description, l.Minutes, l.Nodes, l.Manifests = f.Title, f.Description, f.Minutes, f.Nodes, f.Manifests
	return rest, lines
}

var plainPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$`)

// inFolder says whether a name leads to a file below the lesson's folder, and nowhere else.
func inFolder(name string, extensions ...string) bool {
	return Plain(name) && slices.Contains(extensions, strings.ToLower(path.Ext(name)))
}

// Plain says whether a name is one of a file below a folder, without what a shell or an address takes for more.
func Plain(name string) bool {
	return len(name) <= MaxTitle && plainPath.MatchString(name)
}

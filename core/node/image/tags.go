package image

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Tags is the rule for which tags of an image exist: a word, a version or a variant, then
// variants and dates, joined by "-". The zero value accepts every tag.
type Tags struct {
	// Words stand at the beginning: latest, stable, bookworm.
	Words []string
	// Releases are the versions at the beginning.
	Releases []Release
	// Variants may follow, or stand alone: alpine, slim. A version may end them: alpine3.22.
	Variants []string
}

// Release is a range of versions: Major, Major.0 to Major.LastMinor, with any third number up
// to 99 and any fourth.
type Release struct{ Major, LastMinor int }

var (
	versionTag  = regexp.MustCompile(`^v?(\d{1,2})(?:\.(\d{1,3}))?(?:\.(\d{1,2}))?(?:\.\d{1,3})?$`)
	datePart    = regexp.MustCompile(`^20\d{6}(\.\d+)?$`)
	variantPart = regexp.MustCompile(`^([a-z]+?)(\d+(?:\.\d+){0,2})?$`)
)

// Exists tells whether tag exists.
func (t Tags) Exists(tag string) bool {
	if t.Words == nil && t.Releases == nil && t.Variants == nil {
		return !saysMissing(tag) && tag != notFound
	}
	parts := strings.Split(tag, "-")
	if !slices.Contains(t.Words, parts[0]) && !t.released(parts[0]) && !t.variant(parts[0]) {
		return false
	}
	for _, p := range parts[1:] {
		if !t.variant(p) && !datePart.MatchString(p) {
			return false
		}
	}
	return true
}

func (t Tags) released(text string) bool {
	m := versionTag.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2]) // none is 0
	return slices.ContainsFunc(t.Releases, func(r Release) bool {
		return r.Major == major && minor <= r.LastMinor
	})
}

func (t Tags) variant(text string) bool {
	if slices.Contains(t.Variants, text) {
		return true
	}
	m := variantPart.FindStringSubmatch(text)
	return m != nil && slices.Contains(t.Variants, m[1])
}

// notFound is the tag that Kubernetes' own tests take for one that is not there (webserver:404).
const notFound = "404"

// saysMissing tells whether a name says of itself that it does not exist.
func saysMissing(name string) bool {
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
	for _, word := range []string{"doesnotexist", "doesntexist", "nonexist", "nosuch", "notfound"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

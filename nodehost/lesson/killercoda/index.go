package killercoda

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

// Name is the file of a folder that is a scenario.
const Name = "index.json"

// index is what index.json may say here. Fields that a lesson has no place for are refused.
type index struct {
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Details     details `json:"details"`
	Backend     struct {
		ImageID string `json:"imageid"`
	} `json:"backend"`
	// What says how a page looks is not needed.
	Difficulty string          `json:"difficulty"`
	Time       string          `json:"time"`
	Interface  json.RawMessage `json:"interface"`
}

type details struct {
	Intro  page   `json:"intro"`
	Steps  []page `json:"steps"`
	Finish page   `json:"finish"`
}

// page is a step, what stands before the first, or after the last.
type page struct {
	Title      string `json:"title"`
	Text       string `json:"text"`
	Foreground string `json:"foreground"`
	Background string `json:"background"`
	Verify     string `json:"verify"`
}

// nodes of the images that a cluster here can stand for.
var nodes = map[string]int{"kubernetes-kubeadm-1node": 1, "kubernetes-kubeadm-2nodes": 2}

func (c *converter) index() (index, error) {
	var i index
	raw, err := lesson.File(c.dir, Name)
	if err != nil {
		return i, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&i); err != nil {
		line, what := 0, err.Error()
		if _, field, ok := strings.Cut(what, "unknown field "); ok {
			line, what = lineOf(raw, field), fmt.Sprintf("a lesson has no place for %s", field)
		}
		return i, c.refuse(Name, line, "%s", what)
	}
	if nodes[i.Backend.ImageID] == 0 {
		return i, c.refuse(Name, lineOf(raw, `"imageid"`), "the machine %q is not here: a scenario runs in a cluster, kubernetes-kubeadm-1node or -2nodes", i.Backend.ImageID)
	}
	return i, nil
}

// lineOf is the line where a word first stands; 0 if it does not.
func lineOf(raw []byte, word string) int {
	at := bytes.Index(raw, []byte(word))
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(raw[:at], []byte("\n"))
}

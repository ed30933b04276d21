package check

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/nodehost/lesson"
	"github.com/tabernetes/tabernetes/nodehost/lesson/killercoda"
)

// Read reads a folder's lesson, or its scenario, and runs nothing.
func Read(dir string) error {
	_, _, err := load(dir)
	return err
}

// load gives a lesson and what names a place in it.
func load(dir string) (*lesson.Lesson, func(line int) string, error) {
	if !killercoda.Is(dir) {
		l, err := lesson.Read(dir)
		return l, place(dir, func(line int) (string, int) { return lesson.Name, line }), err
	}
	c, err := killercoda.Convert(dir, kubectl.Lacks)
	if err != nil {
		return nil, nil, err
	}
	l, problems := lesson.Parse([]byte(c.Text))
	var all []error
	for _, problem := range problems {
		file, line := c.At(problem.Line)
		problem.File, problem.Line = filepath.Join(dir, file), line
		all = append(all, problem)
	}
	return l, place(dir, c.At), errors.Join(all...)
}

func place(dir string, at func(int) (string, int)) func(int) string {
	return func(line int) string {
		file, line := at(line)
		return fmt.Sprintf("%s:%d", filepath.Join(dir, file), line)
	}
}

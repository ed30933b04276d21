package lesson

import (
	"fmt"
	"regexp"
	"strings"
)

var answer = regexp.MustCompile(`^\s*[-*] \[([ xX])\] (.*\S)\s*$`)

// question reads what is asked, and below it its answers, as GitHub writes tasks: "- [x] a right one". What
// follows the answers is said when it was answered.
func (p *Part) question(text string) error {
	var asked, after []string
	right := 0
	for line := range strings.SplitSeq(text, "\n") {
		m := answer.FindStringSubmatch(line)
		switch {
		case m != nil && len(after) == 0:
			p.Answers = append(p.Answers, Answer{Text: m[2], Right: m[1] != " "})
			if m[1] != " " {
				right++
			}
		case m != nil:
			return fmt.Errorf("a question's answers stand together")
		case len(p.Answers) == 0:
			asked = append(asked, line)
		case strings.TrimSpace(line) != "":
			after = append(after, strings.TrimSpace(line))
		}
	}
	p.Text, p.Output = strings.TrimSpace(strings.Join(asked, "\n")), strings.Join(after, "\n")
	switch {
	case p.Text == "":
		return fmt.Errorf("a question begins with what is asked")
	case len(p.Answers) < 2 || len(p.Answers) > MaxAnswers:
		return fmt.Errorf("a question has from 2 to %d answers, lines like \"- [x] a right one\" and \"- [ ] a wrong one\"", MaxAnswers)
	case right == 0:
		return fmt.Errorf("a question has a right answer, \"- [x] …\"")
	}
	return nil
}

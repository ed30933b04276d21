// Package regex matches regular expressions of strangers with texts of strangers, and leaves the
// thread to others meanwhile: a pod says grep -E '(x?){1000}$' over a line of megabytes, and in the
// tab nothing else runs until a match has ended.
//
// The matching is package regexp's, which takes time in proportion to the expression times the text.
// Where that product is small it is asked as it is, which is fastest. Where it is not, it reads the
// text through a reader that asks the context between runes (program.Yield): so everything goes on,
// and a kill ends the match. Nothing is refused for its text. Matches are given one by one, as each may
// have looked at all that is left: x*y|x does, of a text of x.
//
// It may import the standard library only.
package regex

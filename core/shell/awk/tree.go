package awk

import "github.com/tabernetes/tabernetes/core/shell/regex"

// Program is a parsed program.
type Program struct {
	begin, end [][]stmt
	rules      []*rule
	funcs      map[string]*function
}

// rule is pattern { action }; without a pattern it applies to all records.
type rule struct {
	from, to expr
	action   []stmt // nil: print the record
	printing bool
}

type function struct {
	params []string
	body   []stmt
}

type (
	stmt interface{}

	exprStmt  struct{ x expr }
	printStmt struct {
		args   []expr
		format bool // printf
		to     expr // a file's name, or nil
		append bool
	}
	ifStmt struct {
		cond       expr
		then, alse []stmt
	}
	loopStmt struct { // while, do and for
		init       stmt
		cond       expr
		post       stmt
		body       []stmt
		checkAfter bool
	}
	forInStmt struct {
		v    string
		in   string
		body []stmt
	}
	jumpStmt   struct{ word string } // break, continue, next, nextfile
	exitStmt   struct{ x expr }
	returnStmt struct{ x expr }
	deleteStmt struct {
		array string
		index []expr // nil: all of it
	}
	blockStmt struct{ body []stmt }
)

type (
	expr interface{}

	numberExpr float64
	textExpr   string
	regexExpr  struct{ re *regex.Regexp }
	varExpr    string
	fieldExpr  struct{ x expr }
	indexExpr  struct {
		array string
		index []expr
	}
	assignExpr struct {
		to expr
		op string // "" for =, else + - …
		x  expr
	}
	stepExpr struct { // ++ and --
		to   expr
		by   float64
		post bool
	}
	unaryExpr struct {
		op string
		x  expr
	}
	binaryExpr struct {
		op   string
		x, y expr
	}
	condExpr struct{ cond, x, y expr }
	inExpr   struct {
		index []expr
		array string
	}
	callExpr struct {
		name string
		args []expr
	}
	builtinExpr struct {
		name string
		args []expr
	}
	getlineExpr struct {
		to   expr // nil: $0
		file expr // nil: the main input
	}
	groupExpr struct{ x expr } // ( ), which matters to print
)

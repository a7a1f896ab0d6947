// Command vet is the tool that go vet runs for make lint: vet's analyzers and staticcheck's, so that each package is
// parsed and type-checked once for both, from export data that tests use too, and the build cache keeps what was found.
// It knows no lint:ignore. It is a module of its own, so that lint does not look at what it imports.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

func main() {
	suite := append([]*analysis.Analyzer{unusedCode}, vet.Suite...)
	for _, list := range [][]*lint.Analyzer{simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers} {
		for _, a := range list {
			if !a.Doc.NonDefault {
				suite = append(suite, named(a.Analyzer))
			}
		}
	}
	unitchecker.Main(suite...)
}

// named adds the analyzer's name to what it reports, by which staticcheck explains it.
func named(a *analysis.Analyzer) *analysis.Analyzer {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		report := pass.Report
		pass.Report = func(d analysis.Diagnostic) {
			d.Message += " (" + a.Name + ")"
			report(d)
		}
		return run(pass)
	}
	return a
}

// unusedCode reports what staticcheck's analyzer of unused code returns. go vet checks a package together with its
// tests, so what those alone use counts as used.
var unusedCode = &analysis.Analyzer{
	Name:     "unused",
	Doc:      "report unused code",
	Requires: []*analysis.Analyzer{unused.Analyzer.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, o := range pass.ResultOf[unused.Analyzer.Analyzer].(unused.Result).Unused {
			for _, f := range pass.Files {
				if file := pass.Fset.File(f.FileStart); file.Name() == o.Position.Filename {
					pass.Reportf(file.Pos(o.Position.Offset), "%s %s is unused (U1000)", o.Kind, o.Name)
				}
			}
		}
		return nil, nil
	},
}

// Command vet is the tool that go vet runs for make lint. It has the analyzers of vet and of staticcheck, so that each
// package is parsed and type-checked only once for both, and the build cache stores the results. It does not support
// lint:ignore comments. It is a module of its own, so that lint does not check the packages that it imports.
package main

import (
	"encoding/json"
	"fmt"
	"os"

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
	if len(os.Args) == 2 && os.Args[1] == "-flags" {
		// go vet asks for the flags that it has to pass on. The package unitchecker would name -tags, without an effect on
		// the tool: with this flag all packages would be checked again, not only those that depend on the tags.
		fmt.Println("[]")
		return
	}
	suite := append([]*analysis.Analyzer{unusedCode}, vet.Suite...)
	for _, list := range [][]*lint.Analyzer{simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers} {
		for _, a := range list {
			if !a.Doc.NonDefault {
				suite = append(suite, nameReports(a.Analyzer))
			}
		}
	}
	if isForFacts(os.Args[len(os.Args)-1]) {
		suite = factProducers(suite)
	}
	unitchecker.Main(suite...)
}

// isForFacts reports whether a package is analyzed, as the configuration that go vet has written says, only for what
// analyzers of packages that import it have to know of it.
func isForFacts(config string) bool {
	var c struct{ VetxOnly bool }
	text, err := os.ReadFile(config)
	return err == nil && json.Unmarshal(text, &c) == nil && c.VetxOnly
}

// factProducers returns the analyzers that produce facts, among a suite and what it requires. The package unitchecker
// leaves out only those that use none either, which for each package of the standard library are most of staticcheck.
func factProducers(suite []*analysis.Analyzer) (producers []*analysis.Analyzer) {
	seen := map[*analysis.Analyzer]bool{}
	var add func(list []*analysis.Analyzer)
	add = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if seen[a] {
				continue
			}
			if seen[a] = true; len(a.FactTypes) > 0 {
				producers = append(producers, a)
			}
			add(a.Requires)
		}
	}
	add(suite)
	return producers
}

// nameReports adds the analyzer's name to its reports: staticcheck -explain NAME describes them.
func nameReports(a *analysis.Analyzer) *analysis.Analyzer {
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

// unusedCode reports the results of staticcheck's analyzer of unused code. go vet checks a package together with its
// tests, so code that only tests use counts as used.
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

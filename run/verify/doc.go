// Package verify compares solutions of the solvers with published or exact results and prints both. A Suite has the
// checks of one solver; each Check writes tables to a Page, with a Verdict per row. Solvers register their suites; this
// package runs them and writes the report.
//
// Each check has its own file, whose comment states the problem, the source of its reference, and how close the solver
// must come and why. A row that misses its bound fails the verification.
package verify

// Package verify reproduces what is published or known exactly about the problems of solvers, and prints the reference
// values beside those of Atoll. It has the tables, bounds and the report; the checks are those that solvers register.
//
// A check is a file: the problem, where its answer comes from, and how close the solver must come and why. A check
// that misses a bound is an error of the run, and its table says which row.
package verify

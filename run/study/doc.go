// Package study runs a case for all combinations of values of some keys. It tabulates the results with orders of
// convergence and plots the errors. New makes a Study with a Run per combination, RunAll runs those whose folders have
// no results yet, and Table collects the results.
//
// A study reads only the files of its runs: run.json and the summary. Solvers declare which metrics are errors.
package study

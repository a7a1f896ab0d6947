// Package study runs a case for all combinations of values that keys of it take, side by side, and makes a table,
// orders of convergence and a picture of what comes of them. What is in the folder of a study is not run again.
//
// A study knows of a run what its folder tells: run.json and the summary. Which metrics are errors the solvers declare.
package study

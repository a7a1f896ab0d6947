package swarm

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// below draws an integer from 0 to below n, all with the same probability; failures shrink towards 0.
func below(rt *rapid.T, label string, n int) int {
	return rapid.Custom(func(rt *rapid.T) int {
		v := 0
		for k := 1; k < 64*n; k *= 2 {
			v *= 2
			if rapid.Bool().Draw(rt, "bit") {
				v++
			}
		}
		return v % n
	}).Draw(rt, label)
}

// pick draws an element; failures shrink towards the first.
func pick[T any](rt *rapid.T, label string, list ...T) T { return list[below(rt, label, len(list))] }

// oneIn draws true with the probability 1/n; failures shrink towards false.
func oneIn(rt *rapid.T, label string, n int) bool { return below(rt, label, n) == n-1 }

// list formats numbers or quoted texts as a TOML array.
func list[T any](format string, values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprintf(format, v)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// some draws a subset, in order.
func some[T any](rt *rapid.T, label string, all []T, every int) (chosen []T) {
	for i, v := range all {
		if oneIn(rt, fmt.Sprint(label, " ", i), every) {
			chosen = append(chosen, v)
		}
	}
	return chosen
}

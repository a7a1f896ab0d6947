package config

import (
	"strings"
)

// suggest returns advice for a misspelled word: the nearest option if there is one within the distance, otherwise all
// options.
func suggest(word string, options []string) string {
	best, distance := "", len(word)/3+2
	for _, o := range options {
		if n := edits(strings.ToLower(word), o); n < distance {
			best, distance = o, n
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return Choose(options)
}

// Choose lists the options for an error: "choose a, b or c".
func Choose(options []string) string {
	n := len(options) - 1
	if n < 0 {
		return "there are no options"
	}
	if n == 0 {
		return "choose " + options[0]
	}
	return "choose " + strings.Join(options[:n], ", ") + " or " + options[n]
}

// edits is the Levenshtein distance: the number of letters to insert, remove or replace. A word of more than 64 bytes
// is no misspelling; its length is returned.
func edits(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

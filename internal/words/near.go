package words

import "strings"

// Nearest returns the option at the least Levenshtein distance from a word, at most `most`; the first of several, and
// "" if there is none. Case does not matter.
func Nearest(word string, options []string, most int) (nearest string) {
	distance := most + 1
	for _, o := range options {
		if n := edits(strings.ToLower(word), strings.ToLower(o)); n < distance {
			nearest, distance = o, n
		}
	}
	return nearest
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

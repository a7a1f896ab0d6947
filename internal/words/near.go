package words

import "strings"

// Nearest returns the first option with the least Levenshtein distance from word, or "" if that distance is larger than
// maxDistance. Case does not matter.
func Nearest(word string, options []string, maxDistance int) (nearest string) {
	distance := maxDistance + 1
	for _, o := range options {
		if n := editDistance(strings.ToLower(word), strings.ToLower(o)); n < distance {
			nearest, distance = o, n
		}
	}
	return nearest
}

// editDistance returns the Levenshtein distance: the least number of letters to insert, remove or replace. If a has
// more than 64 bytes, it returns the length of a, to save time.
func editDistance(a, b string) int {
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

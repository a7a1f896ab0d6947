package words

import "strings"

// Suggest returns advice for a misspelled word: the nearest option if few letters differ, otherwise all options.
func Suggest(word string, options []string) string {
	if nearest := Nearest(word, options, len(word)/3+1); nearest != "" {
		return "did you mean " + nearest + "?"
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

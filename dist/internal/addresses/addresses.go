// Package addresses keeps the addresses of many ranks in little memory.
package addresses

import "strings"

// List is the addresses of all ranks, of which the prefix that they have in common is kept once.
type List struct {
	prefix, text string
	ends         []uint32 // in text, of the rest of each address
}

// New returns the addresses of ranks 0, 1, …, at least one.
func New(all []string) List {
	a := List{prefix: all[0]}
	for _, s := range all {
		n := 0
		for n < min(len(s), len(a.prefix)) && s[n] == a.prefix[n] {
			n++
		}
		a.prefix = a.prefix[:n]
	}
	var text strings.Builder
	for _, s := range all {
		text.WriteString(s[len(a.prefix):])
		a.ends = append(a.ends, uint32(text.Len()))
	}
	a.prefix, a.text = strings.Clone(a.prefix), strings.Clone(text.String())
	return a
}

// Of returns the address of a rank.
func (a *List) Of(rank int) string {
	first := uint32(0)
	if rank > 0 {
		first = a.ends[rank-1]
	}
	return a.prefix + a.text[first:a.ends[rank]]
}

// Len returns the number of addresses.
func (a *List) Len() int { return len(a.ends) }

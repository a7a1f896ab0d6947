package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/solvers"
)

// ownFlags translates flags of other programs, which have a single dash, into flags of the solver's command that
// args call. The flag parser would read -optim as -o ptim, that is --out ptim. Arguments of other commands are
// returned unchanged.
func ownFlags(root *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	foreign, ok := foreignFlags(args[0])
	c, _, err := root.Find(args[:1])
	if !ok || err != nil {
		return args, nil
	}
	own := []string{args[0]}
	for k := 1; k < len(args); k++ {
		word := args[k]
		name := strings.TrimPrefix(word, "-")
		index := slices.IndexFunc(foreign, func(f solvers.ForeignFlag) bool { return f.Name == word })
		flag := c.Flags().Lookup(strings.TrimPrefix(name, "-"))
		switch {
		case word == "--":
			return append(own, args[k:]...), nil
		case index >= 0 && foreign[index].Refused != "":
			return nil, usageError{fmt.Errorf("%s: %s", word, foreign[index].Refused)}
		case index >= 0:
			own = append(own, foreign[index].Args...)
			continue
		case len(name) > 1 && len(name) < len(word) && flag != nil:
			word = "--" + strings.TrimPrefix(name, "-")
		}
		own = append(own, word)
		takesValue := flag != nil && flag.NoOptDefVal == "" || word == "-o" || word == "-n"
		if takesValue && strings.HasPrefix(word, "-") && k+1 < len(args) {
			k++
			own = append(own, args[k]) // its value, which may begin with a dash
		}
	}
	return own, nil
}

// foreignFlags returns the flags of other programs that a solver's command accepts, and false if no solver has a
// command of that name.
func foreignFlags(command string) ([]solvers.ForeignFlag, bool) {
	for _, name := range solvers.Names() {
		kind, _ := solvers.Find(name)
		for _, c := range kind.Commands {
			if use, _, _ := strings.Cut(c.Use, " "); use == command {
				return c.Foreign, true
			}
		}
	}
	return nil, false
}

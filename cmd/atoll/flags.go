package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/solvers"
)

// translateForeignFlags translates flags of other programs, which have a single dash, into flags of the solver's
// command that args call. The flag parser would read -optim as -o ptim, that is --out ptim. Arguments of other commands
// are returned unchanged.
func translateForeignFlags(root *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	foreign, ok := foreignFlags(args[0])
	c, _, err := root.Find(args[:1])
	if !ok || err != nil {
		return args, nil
	}
	c.InitDefaultHelpFlag()
	translated := []string{args[0]}
	for k := 1; k < len(args); k++ {
		word := args[k]
		name := strings.TrimPrefix(word, "-")
		index := slices.IndexFunc(foreign, func(f solvers.ForeignFlag) bool { return f.Name == word })
		flag := c.Flags().Lookup(strings.TrimPrefix(name, "-"))
		switch {
		case word == "--":
			return append(translated, args[k:]...), nil
		case index >= 0 && foreign[index].Refused != "":
			return nil, usageError{fmt.Errorf("%s: %s", word, foreign[index].Refused)}
		case index >= 0:
			translated = append(translated, foreign[index].Args...)
			if foreign[index].Number && k+1 < len(args) && isNumber(args[k+1]) {
				k++
				translated[len(translated)-1] = args[k]
			}
			continue
		case len(name) > 1 && len(name) < len(word) && flag != nil:
			word = "--" + strings.TrimPrefix(name, "-")
		// An unknown word with a single dash, as -hmim, would be read as the flags -h -m -i -m. -n4 and -oFILE are a flag
		// and its value.
		case len(name) == len(word)-1 && len(name) > 1 && !strings.ContainsAny(name[:1], "-no"):
			if near := nearFlag(c.Flags(), name); near != "" {
				return nil, usageError{fmt.Errorf("unknown flag: %s; did you mean --%s?", word, near)}
			}
		}
		translated = append(translated, word)
		takesValue := flag != nil && flag.NoOptDefVal == "" || word == "-o" || word == "-n"
		if takesValue && strings.HasPrefix(word, "-") && k+1 < len(args) {
			k++
			translated = append(translated, args[k]) // its value, which may begin with a dash
		}
	}
	return translated, nil
}

func isNumber(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil
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

// flagError is the error of a command line whose flags could not be parsed. For an unknown flag it names the nearest
// one of the command, or says how to list all.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageError{err}
	}
	name, hint := unknown.GetSpecifiedName(), c.CommandPath()+" --help lists all flags"
	if letters := unknown.GetSpecifiedShortnames(); letters != "" { // a word after a single dash, as Mmg writes its flags
		name, hint = letters, "names of flags have two dashes; "+hint
	}
	if near := nearFlag(c.Flags(), name); near != "" {
		hint = "did you mean --" + near + "?"
	}
	return usageError{fmt.Errorf("%w; %s", err, hint)}
}

// nearFlag returns the flag that a misspelt name probably means: one that begins with name, if that has at least two
// letters; otherwise one that differs from it in at most two letters, and in at most half of them. It returns "" if
// there is none.
func nearFlag(flags *pflag.FlagSet, name string) string {
	var names []string
	completed := ""
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		names = append(names, f.Name)
		if completed == "" && len(name) > 1 && strings.HasPrefix(f.Name, name) {
			completed = f.Name
		}
	})
	if completed != "" {
		return completed
	}
	return words.Nearest(name, names, min(2, len(name)/2))
}

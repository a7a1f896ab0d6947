package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/internal/pattern"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// flagValues holds the values of flags that have the same values in all commands.
var flagValues = map[string][]string{
	"backend":   {"cpu", "cuda"},
	"transport": {"auto", "local", "grpc", "mpi"},
	"halo":      {"auto", "nccl", "p2p", "staged"},
	"order":     {"rcm", "natural", "gps", "hilbert", "random", "all"},
	"cut":       {"hilbert", "rcb", "metis", "random", "all"},
}

// complete registers shell completion of flag values, of the files that commands take as arguments, and of the
// fields of a run.
func complete(root *cobra.Command) {
	for _, c := range root.Commands() {
		complete(c)
	}
	root.Flags().VisitAll(func(f *pflag.Flag) {
		values := flagValues[f.Name]
		if values == nil {
			values = listedValues(f.Usage)
		}
		switch {
		case values != nil:
			_ = root.RegisterFlagCompletionFunc(f.Name, completeValues(values...)) // fails if a function is registered already
		case f.Name == "field" && root.Name() == "plot":
			_ = root.RegisterFlagCompletionFunc(f.Name, fieldsOfRun)
		case f.Name == "metric" && root.Name() == "study":
			_ = root.RegisterFlagCompletionFunc(f.Name, metricsOfCase)
		}
	})
	switch usage := strings.Fields(root.Use); {
	case root.ValidArgsFunction != nil || len(root.ValidArgs) > 0 || len(usage) < 2:
	case strings.HasPrefix(usage[1], "CASE"):
		root.ValidArgsFunction = completeFiles("toml")
	case usage[1] == "IN" || usage[1] == "MESH":
		root.ValidArgsFunction = completeFiles(meshFiles...)
	case strings.HasPrefix(usage[1], "DIR"):
		root.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
}

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

func completeValues(values ...string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values, cobra.ShellCompDirectiveNoFileComp
	}
}

func completeFiles(extensions ...string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

var meshFiles = []string{"msh", "mesh", "meshb", "vtu", "pvtu"}

// lists matches "a, b (a note), c or d".
var lists = pattern.Of(`(?:^|: )((?:` + word + `, )*` + word + ` or ` + word + `)`)

const word = `[a-z][a-z0-9-]*(?: \([^)]*\))?`

// listedValues returns the values that the usage text of a flag lists as "a, b or c", at its beginning or after a
// colon.
func listedValues(usage string) []string {
	m := lists().FindStringSubmatch(usage)
	if m == nil {
		return nil
	}
	text := regexp.MustCompile(` \([^)]*\)`).ReplaceAllString(m[1], "")
	return strings.Split(strings.Replace(text, " or ", ", ", 1), ", ")
}

// fieldsOfRun completes the fields in the frames of the run in args[0].
func fieldsOfRun(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c, err := solvers.Load(filepath.Join(args[0], folder.CaseFile), nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append(c.Output.Fields, "surface"), cobra.ShellCompDirectiveNoFileComp
}

// metricsOfCase completes the metrics of the solver of the case in args[0].
func metricsOfCase(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c, err := solvers.Load(args[0], nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kind, _ := solvers.Find(c.Solver)
	for _, q := range kind.Measured() {
		if q.Outputs&solvers.Metric != 0 {
			names = append(names, q.Name)
		}
	}
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}

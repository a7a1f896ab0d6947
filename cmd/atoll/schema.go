package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/solvers"
)

//go:generate go run . schema --tables ../../docs/case-file.md --tables ../../docs/volume-of-fluid.md --tables ../../docs/level-set.md --tables ../../docs/two-phase-flow.md --tables ../../docs/smoothing.md

func schemaCommand() *cobra.Command {
	var pages []string
	c := &cobra.Command{
		Use:   "schema [SOLVER]",
		Short: "Print a JSON schema of case files, by which editors complete and check keys",
		Long: "Print a JSON schema of case files, of all solvers or of one. An editor with Taplo, such as VS Code with " +
			"Even Better TOML, completes\nkeys and marks wrong ones in a case whose first line is\n\n  #:schema " +
			"./atoll.schema.json",
		Example: "  atoll schema > atoll.schema.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			for _, page := range pages {
				text, err := os.ReadFile(page)
				if err == nil {
					text, err = solvers.FillManual(text)
				}
				if err == nil {
					err = os.WriteFile(page, text, 0o666)
				}
				if err != nil {
					return err
				}
			}
			if pages != nil {
				return nil
			}
			text, err := solvers.Schema(names...)
			if err == nil {
				_, err = stdout.Write(text)
			}
			return err
		},
	}
	c.Flags().StringArrayVar(&pages, "tables", nil, "instead, make the tables of keys in a `FILE` of the manual again, "+
		"each after a line <!-- keys: SOLVER SECTION -->")
	return c
}

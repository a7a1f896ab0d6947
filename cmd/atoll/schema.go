package main

import (
	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/solvers"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print a JSON schema of case files, by which editors complete and check keys",
		Long: "Print a JSON schema of case files. An editor with Taplo, such as VS Code with Even Better TOML, completes\n" +
			"keys and marks wrong ones in a case whose first line is\n\n  #:schema ./atoll.schema.json",
		Example: "  atoll schema > atoll.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := solvers.Schema()
			if err == nil {
				_, err = stdout.Write(text)
			}
			return err
		},
	}
}

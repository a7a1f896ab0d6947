package main

import "github.com/spf13/cobra"

// versionCommand prints what --version does.
func versionCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what built it, as --version does",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root.SetArgs([]string{"--version"})
			return root.ExecuteContext(cmd.Context())
		},
	}
}

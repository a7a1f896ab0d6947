package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/checkpoint"
)

func checkpointCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "checkpoint",
		Short: "Show what checkpoints contain, and check that they are complete",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:   "info PATH",
		Short: "Show what a checkpoint, or each one in the folder of a run, contains",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return eachCheckpoint(args[0], printCheckpoint) },
	}, &cobra.Command{
		Use:   "verify PATH",
		Short: "Read all of a checkpoint, or of those in the folder of a run, and compare the checksums",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return eachCheckpoint(args[0], verifyCheckpoint) },
	})
	return c
}

// eachCheckpoint calls f with each checkpoint file. It prints the error of each that cannot be opened or for which
// f fails, and returns an error with their number.
func eachCheckpoint(path string, f func(file *checkpoint.File) error) error {
	files := []string{path}
	if info, err := os.Stat(path); err != nil {
		return badInput(err)
	} else if info.IsDir() {
		if files, err = checkpoint.List(path); err != nil {
			return err
		}
		if len(files) == 0 {
			return badInput(fmt.Errorf("%s has no checkpoint", path))
		}
	}
	faults := 0
	for _, path := range files {
		file, err := checkpoint.Open(path)
		if err == nil {
			err = f(file)
			_ = file.Close() // opened for reading only
		}
		if err != nil {
			faults++
			fmt.Println(err)
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d of %s cannot be used", faults, words.Count(len(files), "checkpoint"))
	}
	return nil
}

func printCheckpoint(f *checkpoint.File) error {
	info, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	i := f.Info()
	fmt.Printf("%s\n  %s: %s, t = %g after %s, of %s\n  state %s\n  written %s by atoll %s, %d bytes\n", f.Path,
		i.Case, i.Solver, float64(i.Time), words.Count(i.Steps, "step"), words.Count(i.Ranks, "rank"), i.StateSHA256,
		info.ModTime().Format(time.DateTime), i.Version, info.Size())
	for _, s := range f.Spaces {
		for _, field := range s.Fields {
			fmt.Printf("  %s of each %s: %d bytes\n", field.Name, s.Name, field.Size)
		}
	}
	return nil
}

func verifyCheckpoint(f *checkpoint.File) error {
	if err := f.Verify(); err != nil {
		return err
	}
	fmt.Printf("%s: whole\n", f.Path)
	return nil
}

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestUnknownFlags: for a flag with a wrong letter, a missing letter or a single dash the error suggests the nearest
// flag, and for one that resembles none it says how to list all.
func TestUnknownFlags(t *testing.T) {
	tried := 0
	var testCommand func(c *cobra.Command)
	testCommand = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			testCommand(below)
		}
		if c.DisableFlagParsing {
			return
		}
		expectHint := func(arg, want string) {
			t.Helper()
			err := c.ParseFlags([]string{arg})
			if !errors.As(err, new(*pflag.NotExistError)) {
				return // it is the name of another flag
			}
			if err = c.FlagErrorFunc()(c, err); !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s %s: %v; it does not end with %q", c.CommandPath(), arg, err, want)
			}
			tried++
		}
		expectHint("--zzzzzzzz", "; "+c.CommandPath()+" --help lists all flags")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || len(f.Name) < 6 {
				return
			}
			expectHint("--"+f.Name+"q", "; did you mean --"+f.Name+"?")
			expectHint("--"+f.Name[:1]+"_"+f.Name[2:], "; did you mean --"+f.Name+"?")
			expectHint("--"+f.Name[:len(f.Name)-1], "; did you mean --"+f.Name+"?")
		})
	}
	testCommand(rootCommand())
	if tried < 100 {
		t.Errorf("only %d flags were tried", tried)
	}
	if _, err := translateForeignFlags(rootCommand(), []string{"smooth", "-hmim", "0.1"}); err == nil ||
		err.Error() != "unknown flag: -hmim; did you mean --hmin?" {
		t.Error(err)
	}
	run, _, err := rootCommand().Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	if err := flagError(run, run.ParseFlags([]string{"-backnd"})); !strings.HasSuffix(err.Error(), "mean --backend?") {
		t.Error(err)
	}
}

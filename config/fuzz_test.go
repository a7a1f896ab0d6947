package config_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// fluid is a small case of the solver vof.
const fluid = `solver = "vof"
[grid]
bounds = [0, 0, 1, 1]
cells = [32, 32]
[initial]
shape = "circle(0.5, 0.75, 0.15)"
[time]
end = 1
`

// FuzzParse proves that an accepted case prints as a case with the same hash, and that any other is refused with a
// message.
func FuzzParse(f *testing.F) {
	f.Add(dam, "")
	f.Add(full, "time.end=5")
	f.Add(fluid, "velocity={psi='x*y'}")
	f.Add(strings.Replace(dam, "cells", "cels", 1), "boundary.'a b'=open")
	f.Add("[[gauge]]\n[gauge.at]\na = [[[]]]", "gauge=[{name=1}]")
	f.Fuzz(func(t *testing.T, text, set string) {
		var sets []string
		if set != "" {
			sets = []string{set}
		}
		c, err := config.Parse("c.toml", []byte(text), sets, solvers)
		if err != nil {
			if err.Error() == "" {
				t.Error("empty message")
			}
			return
		}
		again, err := config.Parse("d.toml", []byte(c.String()), nil, solvers)
		if err != nil {
			t.Fatalf("%v in\n%s", err, c)
		}
		if c.Hash() != again.Hash() {
			t.Errorf("case\n%s\nreads back as\n%s", c, again)
		}
	})
}

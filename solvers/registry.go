// Package solvers is the contract between a solver and the program: what a solver declares, and the registry in which
// it makes itself known. The solvers are in the folders below.
package solvers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/atoll-hpc/atoll/config"
)

// Kind is a solver as the program knows it. The package of a solver registers its kind in an init function.
type Kind struct {
	Name   string // in case files
	Title  string // for people
	Decode config.Decoder
	// New sets a case up on a rank. All ranks call it. An error leaves nothing behind on the device; what the user's
	// input caused is a BadInput on all ranks.
	New func(ctx context.Context, env Env, c *config.Case) (Solver, error)
	// Fields, Quantities and Flows are what its cases can write, as far as that does not depend on the case: without
	// functions and values. Sweeps tells that it has no time.
	Fields     []Field
	Quantities []Quantity
	Flows      []Flow
	Sweeps     bool
	// Needs is what the arrays of a rank take on its device, in bytes, where it holds so much of a case. New asks Env.Room
	// before it makes any.
	Needs func(c *config.Case, held Counts) int64
	// Foresee tells what a case on so many ranks will take before any of it is read or made; apart is of devices with
	// memory of their own. nil is for solvers that cannot tell.
	Foresee func(c *config.Case, ranks int, apart bool) (Foreseen, error)
	// Checks are cases whose end is known: atoll verify makes them under the name of the kind.
	Checks []Check
	// Commands are those of the program that are the solver's own.
	Commands []Command
}

var kinds = map[string]Kind{}

// Check is a case whose end is known. Its errors are those of fields at the end against exact ones, as the mean of
// their sizes over the volume. A case that is right once must be so on any ranks, and keep the totals of its fields.
type Check struct {
	Name, About string
	Case        string            // a case file
	Finer       []string          // overrides, one a run, each of which halves the spacing of the one before
	Exact       map[string]string // by the name of a field: an expression over x, y, z and t
	Order       float64           // by which errors fall at least between the last two runs
	Error       float64           // that is the most at the last
	Drift       float64           // of totals, the most at any
}

// Register makes a kind of solver known. It panics if the name is empty or taken.
func Register(k Kind) {
	if _, taken := kinds[k.Name]; taken || k.Name == "" {
		panic(fmt.Sprintf("solvers: the name %q is empty or registered already", k.Name))
	}
	kinds[k.Name] = k
}

// Find returns the kind of a name.
func Find(name string) (Kind, bool) {
	k, ok := kinds[name]
	return k, ok
}

// Names are those of all kinds, sorted.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }

// FieldOf finds the field that a number of frames and gauges belongs to, by the name of either, and its solver.
func FieldOf(number string) (Field, Kind, bool) {
	for _, name := range Names() {
		for _, f := range kinds[name].Fields {
			if f.Name == number || slices.Contains(f.Components, number) {
				return f, kinds[name], true
			}
		}
	}
	return Field{}, Kind{}, false
}

// FlowOf finds what flows through lines by its name.
func FlowOf(name string) (Flow, bool) {
	for _, kind := range Names() {
		for _, f := range kinds[kind].Flows {
			if f.Name == name {
				return f, true
			}
		}
	}
	return Flow{}, false
}

// QuantityOf finds what a column of a table is, and its solver.
func QuantityOf(column string) (Quantity, Kind, bool) {
	for _, name := range Names() {
		for _, q := range kinds[name].Quantities {
			if q.Name == column {
				return q, kinds[name], true
			}
		}
		for _, f := range kinds[name].Fields {
			for _, q := range f.Totals() {
				if q.Name == column {
					return q, kinds[name], true
				}
			}
		}
	}
	return Quantity{}, Kind{}, false
}

// Load reads a case file of any registered solver. Each of sets is an override; see [config.Load].
func Load(path string, sets []string) (*config.Case, error) {
	return config.Load(path, sets, decoders())
}

// Parse decodes the text of a case file of any registered solver; see [config.Parse].
func Parse(path string, data []byte, sets []string) (*config.Case, error) {
	return config.Parse(path, data, sets, decoders())
}

func decoders() map[string]config.Decoder {
	all := map[string]config.Decoder{}
	for name, k := range kinds {
		all[name] = k.Decode
	}
	return all
}

// Package solvers defines the interfaces between solvers and the rest of the program. A solver registers a Kind, which
// decodes its case files and makes a Solver: one rank's share of a run. The Solver declares Fields on Spaces (sets of
// cells, vertices or particles), and optional interfaces add checkpoints (Restarter), measurements on the device
// (Observer), fluxes (Flowing) and more. From these, package run makes frames, gauges, tables, checkpoints and hashes.
// The solvers are in the folders below.
package solvers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/schema"
	"github.com/atoll-hpc/atoll/internal/words"
)

// Kind describes a solver. The package of a solver registers its kind in an init function.
type Kind struct {
	Name   string // in case files
	Title  string // for output that people read
	Decode config.Decoder
	// New sets a case up on a rank. All ranks call it. On an error it has freed everything on the device; an error
	// caused by the user's input is a BadInput on all ranks.
	New func(ctx context.Context, env Env, c *config.Case) (Solver, error)
	// Fields, Quantities and Flows list what cases of this kind can write, without functions and values, for
	// documentation and for checks before set-up. Sweeps means that the clock counts sweeps instead of seconds.
	Fields     []Field
	Quantities []Quantity
	Flows      []Flow
	Sweeps     bool
	// Needs returns the bytes of a rank's arrays on its device, from the sizes of its share. Env.CheckMemory compares
	// them with the free memory: New calls it before it allocates.
	Needs func(c *config.Case, share Counts) int64
	// Copies returns the bytes of the copies that a device with separate memory makes, if it has enough, for output that
	// is written while steps go on, and those on the host of any device. It is nil for solvers without an estimate.
	Copies func(c *config.Case, share Counts) Copies
	// Estimate estimates the resources of a case on a number of ranks before the mesh is read and arrays are allocated;
	// separate is true for devices with separate memory. It is nil for solvers without an estimate.
	Estimate func(c *config.Case, ranks int, separate bool) (Estimate, error)
	// Checks are cases with a known solution, which atoll verify runs under the name of the kind.
	Checks []Check
	// Commands are commands of the program that the solver adds.
	Commands []Command
}

var kinds = map[string]Kind{}

// Measured returns the quantities that cases of this kind can measure: those of Quantities, and the totals of fields.
func (k *Kind) Measured() []Quantity {
	list := slices.Clone(k.Quantities)
	for i := range k.Fields {
		list = append(list, k.Fields[i].Totals()...)
	}
	return list
}

// Check is a case with a known solution. Its errors are mean absolute errors of fields at the end, over the volume. A
// check also requires the same bits for any number of ranks, and conserved totals.
type Check struct {
	Name, About string
	Case        string            // a case file
	Refinements []string          // overrides, one for each run; each halves the spacing of the one before
	Exact       map[string]string // exact solution over x, y, z and t, by field name
	MinOrder    float64           // least order of convergence between the last two runs
	MaxError    float64           // largest error in the last run
	MaxDrift    float64           // largest relative drift of a total in any run
}

// Register adds a kind of solver. It panics if the name is empty or already registered.
func Register(k Kind) {
	if _, taken := kinds[k.Name]; taken || k.Name == "" {
		panic(fmt.Sprintf("solvers: the name %q is empty or registered already", k.Name))
	}
	kinds[k.Name] = k
}

// Find returns the kind with a name.
func Find(name string) (Kind, bool) {
	k, ok := kinds[name]
	return k, ok
}

// Names returns the names of all kinds, sorted.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }

// FieldOf finds a field by its name or that of a component, and the kind that has it.
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

// FlowOf finds a flux by its name.
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

// QuantityOf finds the quantity of a table's column, and the kind that has it.
func QuantityOf(column string) (Quantity, Kind, bool) {
	for _, name := range Names() {
		kind := kinds[name]
		for _, q := range kind.Measured() {
			if q.Name == column {
				return q, kind, true
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

// Declared returns the keys for which the decoder of a case asks; see [config.Declared].
func Declared(data []byte, sets []string) ([]config.Key, error) {
	keys, _, err := config.Declared(data, sets, decoders())
	return keys, err
}

// Schema returns a JSON schema of the cases of the solvers of some names, by default all; see [schema.Schema].
func Schema(names ...string) ([]byte, error) {
	all := decoders()
	chosen := map[string]config.Decoder{}
	for _, name := range names {
		if all[name] == nil {
			return nil, &BadInput{Err: fmt.Errorf("there is no solver %q; %s", name, words.Choose(Names()))}
		}
		chosen[name] = all[name]
	}
	if len(names) > 0 {
		all = chosen
	}
	return schema.Schema(all)
}

// FillManual returns a page of the manual with its tables of keys made again; see [schema.Fill].
func FillManual(page []byte) ([]byte, error) { return schema.Fill(page, decoders()) }

func decoders() map[string]config.Decoder {
	all := map[string]config.Decoder{}
	for name, k := range kinds {
		all[name] = k.Decode
	}
	return all
}

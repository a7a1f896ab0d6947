// Package summary describes a finished run: as JSON for programs, and as a few lines for people.
package summary

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Summary is what a run did. Its JSON has the keys in this order, and those of the maps sorted.
type Summary struct {
	Format       int                `json:"format"` // of the file: that of JSON
	Solver       string             `json:"solver"`
	Case         string             `json:"case"`
	CaseSHA256   string             `json:"case_sha256"` // of the effective case
	Steps        int64              `json:"steps"`
	Time         float64            `json:"time"`  // s, simulated; 0 for a solver that sweeps
	Cells        int64              `json:"cells"` // what a step updates, which may be vertices
	Unit         string             `json:"-"`     // what one of them is: cell, vertex
	Dim          int                `json:"dim,omitempty"`
	Ranks        int                `json:"ranks"`
	Transport    string             `json:"transport"`
	Backend      string             `json:"backend"`
	Halo         string             `json:"halo"` // how ghosts are exchanged: direct, staged or nccl
	Precision    string             `json:"precision"`
	Threads      int                `json:"threads"` // of each rank
	Wall         float64            `json:"wall_s"`  // of the time loop with its output
	UpdatesPerS  float64            `json:"updates_per_s"`
	StateSHA256  string             `json:"state_sha256"`           // of the final state, see solvers.Hash
	HashVersion  int                `json:"hash_version"`           // of that hash's definition
	Stopped      string             `json:"stopped,omitempty"`      // the rule by which a solver with such rules ended
	Metrics      map[string]float64 `json:"metrics"`                // of the solver
	Phases       map[string]float64 `json:"phases"`                 // s by name
	Imbalance    map[string]float64 `json:"imbalance,omitempty"`    // entities of the fullest rank by the mean, by space
	ArrayBytes   int64              `json:"array_bytes"`            // of the solver's arrays on the fullest rank
	DeviceBytes  int64              `json:"device_bytes,omitempty"` // of memory that devices have apart, at most
	CopyBytes    int64              `json:"copy_bytes,omitempty"`   // of copies for output on devices, at most
	Estimate     *Estimate          `json:"estimate,omitempty"`     // nil where nothing was
	Conservation map[string]float64 `json:"conservation"`           // relative drift of what is conserved, by name
	Version      string             `json:"version"`
	FMA          bool               `json:"fma"` // whether this binary fuses x*y + z
	Host         Host               `json:"host"`
}

// Estimate is what was told of a run before it was taken.
type Estimate struct {
	HostBytes  int64 `json:"host_bytes,omitempty"`  // of the machine of rank 0
	ArrayBytes int64 `json:"array_bytes,omitempty"` // of the solver's arrays on the fullest rank
	CopyBytes  int64 `json:"copy_bytes,omitempty"`  // on the fullest rank's device, of arrays that output is made of
	// Steps and Wall, in s, of the whole run from its start or restart, are at least and at most. They are missing where a
	// run was over before.
	Steps []float64 `json:"steps,omitempty"`
	Wall  []float64 `json:"wall_s,omitempty"`
}

// Format is that of the file. Numbers are added to it without another one, but none goes or changes what it means.
const Format = 1

// JSON returns the summary as indented JSON with a final newline. A number that is not finite is an error that
// names its key.
func (s *Summary) JSON() ([]byte, error) {
	for _, v := range []struct {
		key   string
		value float64
	}{{"time", s.Time}, {"wall_s", s.Wall}, {"updates_per_s", s.UpdatesPerS}} {
		if v.value-v.value != 0 {
			return nil, fmt.Errorf("summary: %s is %g", v.key, v.value)
		}
	}
	filled := *s
	filled.Format = Format
	for _, m := range []struct {
		key    string
		values *map[string]float64
	}{{"metrics", &filled.Metrics}, {"phases", &filled.Phases}, {"conservation", &filled.Conservation}} {
		if *m.values == nil {
			*m.values = map[string]float64{} // {} rather than null
		}
		for _, name := range slices.Sorted(maps.Keys(*m.values)) {
			if v := (*m.values)[name]; v-v != 0 {
				return nil, fmt.Errorf("summary: %s.%s is %g", m.key, name, v)
			}
		}
	}
	text, err := json.MarshalIndent(&filled, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	return append(text, '\n'), nil
}

// Write writes the JSON to a file, which appears whole or not at all: a reader never sees a part, and a file that
// was there stays until then.
func (s *Summary) Write(path string) error {
	text, err := s.JSON()
	if err != nil {
		return err
	}
	err = atomicfile.Write(path, func(f *os.File) error {
		if _, err := f.Write(text); err != nil {
			return err
		}
		return f.Sync()
	})
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	return nil
}

// Read reads the summary in the folder of a run.
func Read(dir string) (*Summary, error) {
	path := filepath.Join(dir, "summary.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s Summary
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Format > Format {
		return nil, fmt.Errorf("%s is of format %d; this program knows formats up to %d", path, s.Format, Format)
	}
	return &s, nil
}

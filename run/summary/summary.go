// Package summary describes a finished run: Summary is written as JSON for programs, and as a few lines of text for
// people. It also identifies the build of the program, by Version and BuildID.
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

// Summary describes a finished run. Keys of the JSON are in the order of the fields; keys of maps are sorted.
type Summary struct {
	Format      int                `json:"format"` // version of the JSON format
	Solver      string             `json:"solver"`
	Case        string             `json:"case"`
	CaseSHA256  string             `json:"case_sha256"` // of the effective case
	Steps       int64              `json:"steps"`
	Time        float64            `json:"time"`  // s, simulated; 0 for a solver that sweeps
	Cells       int64              `json:"cells"` // number of entities that a step updates: cells or vertices
	Unit        string             `json:"-"`     // name of one entity: cell or vertex
	Dim         int                `json:"dim,omitempty"`
	Ranks       int                `json:"ranks"`
	Transport   string             `json:"transport"`
	Backend     string             `json:"backend"`
	Halo        string             `json:"halo"` // halo exchanger: direct, staged or nccl
	Precision   string             `json:"precision"`
	Threads     int                `json:"threads"` // of each rank
	Wall        float64            `json:"wall_s"`  // of the time loop with its output
	UpdatesPerS float64            `json:"updates_per_s"`
	StateSHA256 string             `json:"state_sha256"`      // hash of the final state, see solvers.Hash
	HashVersion int                `json:"hash_version"`      // version of the definition of that hash
	Stopped     string             `json:"stopped,omitempty"` // stopping criterion that ended the run
	Metrics     map[string]float64 `json:"metrics"`           // metrics of the solver
	Meanings    map[string]Meaning `json:"-"`                 // of metrics, by name, for Text
	Phases      map[string]float64 `json:"phases"`            // seconds by phase
	// by space: entities of the rank that owns the most, divided by the mean
	Imbalance  map[string]float64 `json:"imbalance,omitempty"`
	Processor  *Processor         `json:"processor,omitempty"` // nil unless each rank is a process
	Balance    *Balance           `json:"balance,omitempty"`   // nil unless work moves between ranks
	ArrayBytes int64              `json:"array_bytes"`         // arrays of the solver on the rank that has the most
	// peak memory of devices with separate memory, sum over ranks
	DeviceBytes int64 `json:"device_bytes,omitempty"`
	// peak memory of copies for output on devices, sum over ranks
	CopyBytes    int64              `json:"copy_bytes,omitempty"`
	Estimate     *Estimate          `json:"estimate,omitempty"` // nil if there was none
	Conservation map[string]float64 `json:"conservation"`       // relative drift of conserved quantities, by name
	Version      string             `json:"version"`
	FMA          bool               `json:"fma"` // whether this binary fuses x*y + z
	Host         Host               `json:"host"`
}

// Meaning tells people what a metric is.
type Meaning struct{ Unit, Doc string }

// Processor is the processor time of the loop over steps, with its output and messages, in s.
type Processor struct {
	Mean float64 `json:"mean_s"` // over ranks
	Most float64 `json:"most_s"` // of the rank that takes most
}

// Balance tells how the counted work of the loop over steps was divided. Shares are the mean work of a rank in that of
// the rank with most.
type Balance struct {
	Moves  int     `json:"moves"`  // how often work has moved to other ranks
	Share  float64 `json:"share"`  // mean over steps
	Before float64 `json:"before"` // mean over moves, of the states before them
	After  float64 `json:"after"`  // the same with the new division
	Wall   float64 `json:"wall_s"` // s that rank 0 spent on looking and moving
}

// Estimate is the estimated cost of a run.
type Estimate struct {
	HostBytes  int64 `json:"host_bytes,omitempty"`  // memory of the machine of rank 0
	ArrayBytes int64 `json:"array_bytes,omitempty"` // arrays of the solver on the rank that has the most
	CopyBytes  int64 `json:"copy_bytes,omitempty"`  // copies for output on the device of that rank
	// Steps and Wall, in s, are lower and upper bounds for the whole run from its start or restart. They are missing if
	// the run ended before they were estimated.
	Steps []float64 `json:"steps,omitempty"`
	Wall  []float64 `json:"wall_s,omitempty"`
}

// Format is the version of the JSON format. New keys do not change it; keys are never removed and keep their meaning.
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
			if v := (*m.values)[name]; v-v != 0 { // not finite
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

// Write writes the JSON to a file atomically: readers see the old file or the complete new one.
func (s *Summary) Write(path string) error {
	text, err := s.JSON()
	if err != nil {
		return err
	}
	err = atomicfile.WriteDurably(path, func(f *atomicfile.File) error {
		_, err := f.Write(text)
		return err
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
		return nil, fmt.Errorf("%s is of format %d; this program reads formats up to %d", path, s.Format, Format)
	}
	return &s, nil
}

package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

// Maxima is the section [maxima] of one layer: what is largest since the start is kept in every step.
type Maxima struct {
	Keep      bool    // where the section is there, or frames are to have one of its fields
	Threshold float64 // m, by which the level has changed when water arrives, and above which a cell is wet; 0.01
}

func decodeMaxima(s *config.Section, given bool, layers int) Maxima {
	m := Maxima{Keep: given, Threshold: s.Number("threshold", config.Positive.Or(.01))}
	if given && layers == 2 {
		s.Fail("", "is of one layer, and there are two: set physics.layers = 1")
	}
	s.Finish()
	return m
}

// ask keeps what frames are to have.
func (m *Maxima) ask(fields []string) {
	for _, name := range solvers.FieldNames(maxima()) {
		m.Keep = m.Keep || slices.Contains(fields, name)
	}
}

func (m *Maxima) print(p *config.Printer) {
	if !m.Keep {
		return
	}
	p.Section("[maxima]")
	p.Pair("threshold", m.Threshold)
}

package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

// Maxima is the section [maxima] of one layer: extremes are recorded in every step.
type Maxima struct {
	Keep      bool    // true if the section is given, or frames have one of its fields
	Threshold float64 // m: the change of level at which water arrives, and the thickness above which a cell is wet
}

// wetThickness is the default of Maxima.Threshold, m.
const wetThickness = .01

func (m *Maxima) decode(s *config.Section, given bool, layers int) {
	m.keys(s.Read)
	if m.Keep = given; given && layers == 2 {
		s.Fail("", "needs one layer, and there are two: set physics.layers = 1")
	}
	s.Finish()
}

// keys declares the keys of the section.
func (m *Maxima) keys(key func(*config.Spec)) {
	key(config.Real("threshold", "m", &m.Threshold, config.Positive.Or(wetThickness), "the change of the level that "+
		"counts as arrival, and the depth above which a cell counts as wet"))
}

// enableFor records extremes if frames have one of their fields.
func (m *Maxima) enableFor(fields []string) {
	for _, name := range solvers.FieldNames(maxima()) {
		m.Keep = m.Keep || slices.Contains(fields, name)
	}
}

func (m *Maxima) print(p *config.Printer) {
	if !m.Keep {
		return
	}
	p.Section("[maxima]")
	m.keys(p.Print)
}

package problem

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// Method is the section [method] of solver "vof", see vof.Config. Defaults of accuracy are the best for the processor
// time of the published test flows, which atoll verify vof holds them to.
type Method struct {
	Normal    string // youngs, myc, elvira, lvira or height
	Advect    string // weymouth-yue or ei-le
	CFL       float64
	CFLOf     string // what CFL limits: sum, the sum of CFL numbers over the axes, or axis, each of them
	Adaptive  bool   // steps as long as the current velocity allows
	Exchange  string // when ghosts are exchanged: auto, sweep, step or steps
	Sweep     string // auto, cells or tiles
	Rebalance int    // steps between looks at the work of ranks, whose blocks may then move; 0 for none
	Precision string // float32 or float64
}

// greenGauss is another name of Youngs' normal: Green–Gauss averages over the faces of a cell have the same weights.
const greenGauss = "green-gauss"

func (m *Method) decode(s *config.Section, dim int) {
	m.keys(dim, s.Read)
	if m.Normal == greenGauss {
		m.Normal = "youngs"
	}
	if m.Advect == "ei-le" && dim == 3 {
		s.Fail("advect", "ei-le conserves volume in the plane only; choose weymouth-yue")
	}
	switch {
	case m.Sweep == "tiles" && dim == 3:
		s.Fail("sweep", "tiles are for the plane; choose cells or auto")
	case m.Sweep == "tiles" && m.Normal == "height":
		s.Fail("sweep", "heights reach too far for tiles; choose cells or auto")
	}
	most := 0.5
	if m.Advect == "ei-le" {
		most = 0.999
	}
	if m.CFL > most && m.CFL <= 1 {
		s.Fail("cfl", "%g is more than %g, the limit for which %s keeps volume fractions in [0, 1]", m.CFL, most, m.Advect)
	}
	s.Finish()
}

// keys declares the keys of the section.
func (m *Method) keys(dim int, key func(*config.Spec)) {
	normal, advect := "elvira", "ei-le"
	if dim == 3 {
		normal, advect = "myc", "weymouth-yue"
	}
	key(config.OneWord("normal", &m.Normal, normal, append([]string{greenGauss}, vof.Normals...), "method for interface "+
		"normals. `youngs` (also `green-gauss`: on a uniform grid both gradients are the same): fast, but its normals keep "+
		"an error of about a degree [at any resolution](#convergence). `myc`: mixed Youngs and centred columns; in space "+
		"the best accuracy for its cost. `elvira`, `lvira`: exact for lines and planes; `lvira`, with weights that "+
		"decrease with the distance, is the most accurate if the flow stretches the fluid, but [not for pure "+
		"translation](#convergence). `height`: height functions of columns of seven cells, for smooth, well resolved "+
		"interfaces").
		Otherwise("`elvira` in two dimensions, `myc` in three"))
	key(config.OneWord("advect", &m.Advect, advect, vof.Advections, "`weymouth-yue`: two and three dimensions. `ei-le`: "+
		"two dimensions only, with steps twice as long").
		Otherwise("`ei-le` in two dimensions, `weymouth-yue` in three"))
	ei := m.Advect == "ei-le"
	cfl := 0.5
	if ei {
		cfl = 0.99
	}
	key(config.Real("cfl", "", &m.CFL, config.Share.Or(cfl), "CFL number of a step").
		Range("at most 0.5, or 0.999 with `ei-le`").Otherwise("0.5, with `ei-le` 0.99"))
	key(config.OneWord("cfl_of", &m.CFLOf, "axis", []string{"sum", "axis"}, "what `cfl` limits in each cell: the `sum` "+
		"of dt·|u|/h over the axes, or its value for each `axis`, as in many papers. Weymouth and Yue prove their bounds "+
		"for the sum"))
	key(config.Flag("adaptive", &m.Adaptive, ei, "the length of a step depends on the present velocity, instead of the "+
		"greatest velocity of the run").Otherwise("`false`, with `ei-le` `true`"))
	key(config.OneWord("exchange", &m.Exchange, "auto", []string{"auto", "sweep", "step", "steps"}, "exchange ghosts "+
		"before each `sweep`, more layers once per `step`, or 72 layers once in 24 `steps` (with tiles); the state is the "+
		"same"))
	key(config.OneWord("sweep", &m.Sweep, "auto", []string{"auto", "cells", "tiles"}, "by `cells` or `tiles`; the state "+
		"is the same"))
	key(config.Whole("rebalance", &m.Rebalance, 24, 0, 1<<31, "steps between looks at the work of ranks, after which "+
		"[blocks move](#the-case-file) if that is worth it, on processors; 0: all blocks have as many cells"))
	key(config.Precision(&m.Precision, "of the state"))
}

// Config returns the configuration of the solver.
func (m Method) Config() vof.Config {
	return vof.Config{Normal: m.Normal, Advect: m.Advect, CFL: m.CFL, PerAxis: m.CFLOf == "axis", Adaptive: m.Adaptive,
		Exchange: m.Exchange, Sweep: m.Sweep}
}

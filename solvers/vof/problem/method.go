package problem

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// Method is the section [method] of solver "vof", see vof.Config. Defaults follow the semicolons: those of accuracy are
// the best for the processor time of the published test flows, which atoll verify vof holds them to.
type Method struct {
	Normal    string  // youngs, myc, elvira, lvira or height; elvira in the plane, myc in space
	Advect    string  // weymouth-yue or ei-le; ei-le in the plane, weymouth-yue in space
	CFL       float64 // 0.99 with ei-le, 0.5 with weymouth-yue
	CFLOf     string  // what CFL limits: sum, the sum of CFL numbers over the axes, or axis, each of them; axis
	Adaptive  bool    // steps as long as the current velocity allows; true with ei-le, otherwise false
	Exchange  string  // when ghosts are exchanged: auto, sweep, step or steps; auto
	Sweep     string  // auto, cells or tiles; auto
	Precision string  // float32 or float64; float64
}

// greenGauss is another name of Youngs' normal: Green–Gauss averages over the faces of a cell have the same weights.
const greenGauss = "green-gauss"

func decodeMethod(s *config.Section, dim int) Method {
	normal, advect := "elvira", "ei-le"
	if dim == 3 {
		normal, advect = "myc", "weymouth-yue"
	}
	m := Method{
		Normal:    s.Choice("normal", normal, append([]string{greenGauss}, vof.Normals...)...),
		Advect:    s.Choice("advect", advect, vof.Advections...),
		CFLOf:     s.Choice("cfl_of", "axis", "sum", "axis"),
		Exchange:  s.Choice("exchange", "auto", "auto", "sweep", "step", "steps"),
		Sweep:     s.Choice("sweep", "auto", "auto", "cells", "tiles"),
		Precision: s.Choice("precision", "float64", "float32", "float64"),
	}
	cfl := 0.5
	if m.Advect == "ei-le" {
		cfl = 0.99
	}
	m.CFL = s.Number("cfl", config.Bound{Most: 1, AboveLeast: true, Fallback: cfl, Optional: true})
	m.Adaptive = s.Boolean("adaptive", m.Advect == "ei-le")
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
	return m
}

// Config returns the configuration of the solver.
func (m Method) Config() vof.Config {
	return vof.Config{Normal: m.Normal, Advect: m.Advect, CFL: m.CFL, PerAxis: m.CFLOf == "axis", Adaptive: m.Adaptive,
		Exchange: m.Exchange, Sweep: m.Sweep}
}

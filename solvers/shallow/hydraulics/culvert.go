package hydraulics

import (
	"errors"
	"math"

	"github.com/atoll-hpc/atoll/internal/portable"
	"github.com/atoll-hpc/atoll/solvers/common/series"
)

// Barrel is the section of a culvert, a circle or a rectangle, and its roughness. What its inlet takes is as in
// M. J. Boyd, "Head-discharge relations for culverts", Monier Rocla Technical Journal, 1987.
type Barrel struct {
	Diameter      float64 // of a pipe, m; 0 for a box
	Width, Height float64 // of a box, m
	Length        float64 // m
	Manning       float64 // s/m^(1/3)
	Losses        float64 // coefficients of entry and exit together, of the velocity head
	// Sluice is the coefficient of the flow under the deck of a bridge whose opening is a box, while the water behind does
	// not submerge it: Q = Sluice W Z √(2g (E - Z/2)), with its height Z (U.S. Army Corps of Engineers, HEC-RAS Hydraulic
	// Reference Manual, pressure flow, from J. Bradley, "Hydraulics of bridge waterways", HDS-1, 1978); 0 for a culvert.
	Sluice float64
}

// check returns an error for a barrel that does not exist.
func (b *Barrel) check() error {
	pipe, box := b.Diameter > 0, b.Width > 0 && b.Height > 0
	switch {
	case pipe == box || b.Diameter < 0 || pipe && (b.Width != 0 || b.Height != 0):
		return errors.New("a culvert has either a diameter, or a width and a height")
	case !(b.Length > 0):
		return errors.New("a culvert needs a length")
	case !(b.Losses > 0):
		return errors.New("a culvert needs a loss at entry or exit")
	}
	return nil
}

// top is the height of the barrel, m.
func (b *Barrel) top() float64 { return max(b.Diameter, b.Height) }

// Inlet returns the discharge in m³/s that the inlet takes at a head in m above its bottom: that of a weir as long as
// the inlet is not submerged, and then that of an orifice.
func (b *Barrel) Inlet(gravity, head float64) float64 {
	root := math.Sqrt(gravity)
	if head <= 0 {
		return 0
	}
	if d := b.Diameter; d > 0 {
		weir := 0.421 * portable.Pow(d, 0.87) * portable.Pow(head, 1.63)
		return root * min(weir, 0.530*portable.Pow(d, 1.87)*portable.Pow(head, 0.63))
	}
	if b.Sluice > 0 { // critical flow until the deck is reached
		critical := math.Sqrt(8.0/27) * root * min(head, b.Height) * math.Sqrt(min(head, b.Height))
		if head > b.Height {
			critical = max(critical, b.Sluice*b.Height*root*math.Sqrt(2*head-b.Height))
		}
		return b.Width * critical
	}
	return root * b.Width * min(0.544*head*math.Sqrt(head), 0.702*portable.Pow(b.Height, 0.89)*portable.Pow(head, 0.61))
}

// Critical returns the critical depth in m of a discharge Q in m³/s, at most the height of the barrel: at it
// Q² = g A³/B, with the area A and the width B of the surface.
func (b *Barrel) Critical(gravity, discharge float64) float64 {
	if b.Diameter == 0 {
		q := discharge / b.Width
		return min(math.Cbrt(q*q/gravity), b.Height)
	}
	lo, hi := 0.0, b.Diameter
	for range 60 {
		depth := (lo + hi) / 2
		area, _ := b.Section(depth)
		width := 2 * math.Sqrt(depth*(b.Diameter-depth))
		if gravity*area*area*area < discharge*discharge*width {
			lo = depth
		} else {
			hi = depth
		}
	}
	return hi
}

// criticalAt returns the critical depth in m of a flow with a specific energy, the head in m: at it the head is the
// depth and half of the mean depth, A/(2B), at most the height of the barrel.
func (b *Barrel) criticalAt(head float64) float64 {
	if b.Diameter == 0 {
		return min(2*head/3, b.Height)
	}
	lo, hi := 0.0, min(head, b.Diameter)
	for range 60 {
		depth := (lo + hi) / 2
		area, _ := b.Section(depth)
		if depth+area/(4*math.Sqrt(depth*(b.Diameter-depth))) < head {
			lo = depth
		} else {
			hi = depth
		}
	}
	return hi
}

// Section returns the area in m² and the hydraulic radius in m of a flow of a depth in m.
func (b *Barrel) Section(depth float64) (area, radius float64) {
	if d := b.Diameter; d > 0 {
		if depth >= d {
			return math.Pi * d * d / 4, d / 4
		}
		half := math.Acos(1 - 2*depth/d) // the angle at the centre, of half of the wetted perimeter
		area = d * d / 4 * (half - math.Sin(half)*math.Cos(half))
		if half == 0 {
			return 0, 0
		}
		return area, area / (half * d)
	}
	depth = min(depth, b.Height)
	area = b.Width * depth
	if depth == b.Height {
		return area, area / (2 * (b.Width + depth))
	}
	return area, area / (b.Width + 2*depth)
}

// Friction returns n² L/R^(4/3) of a flow of a depth in m: the loss of head per squared velocity, s²/m.
func (b *Barrel) Friction(depth float64) float64 {
	if b.Manning == 0 {
		return 0
	}
	_, radius := b.Section(max(depth, b.top()/1000))
	return b.Manning * b.Manning * b.Length / portable.Pow(radius, 4.0/3)
}

// curves are the functions of a barrel as rows between which they are linear.
type curves struct {
	Inlet, Critical []series.Row // over the head above the bottom of the inlet, m: discharge, m³/s, and critical depth, m
	Flow, Friction  []series.Row // over the depth, m: area, m², and Friction
}

// curves returns the functions as rows: heads up to 40 times the height of the barrel, beyond which lines go on. In
// shallow water, below a quarter of the diameter, the formula of a pipe's inlet exceeds critical flow; the depth behind
// it is that of critical flow then, so that the losses decide.
func (b *Barrel) curves(gravity float64) (c curves) {
	const rows = 512
	for k := range rows + 1 {
		share := float64(k) / rows
		head, depth := 40*b.top()*share*share, b.top()*share
		q := b.Inlet(gravity, head)
		c.Inlet = append(c.Inlet, series.Row{T: head, Value: q})
		critical := b.Critical(gravity, q)
		if b.Diameter > 0 {
			critical = min(critical, b.criticalAt(head))
		}
		c.Critical = append(c.Critical, series.Row{T: head, Value: critical})
		area, _ := b.Section(depth)
		c.Flow = append(c.Flow, series.Row{T: depth, Value: area})
		c.Friction = append(c.Friction, series.Row{T: depth, Value: b.Friction(depth)})
	}
	return c
}

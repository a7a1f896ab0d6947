// Package verify checks the shallow-water solver against exact solutions, published results and experiments. Its
// suites are run by atoll verify shallow and atoll verify tsunami.
package verify

import (
	"github.com/atoll-hpc/atoll/run/verify"
	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem" // registers the solver, which the largest cases need
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/adaptive"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/earth"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/localsteps"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/rivers"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/surge"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/tsunami"
)

func init() {
	for _, all := range [][]verify.Check{suite.Checks, tsunami.Suite.Checks} {
		for k := range all {
			all[k].Run = basin.WithBudget(all[k].Run)
		}
	}
	verify.Register(suite)
	verify.Register(tsunami.Suite)
}

// exacts are the exact solutions for runs whose mesh follows the water.
var exacts = adaptive.Exact{
	Dam: func(x, t float64) float64 {
		h, _ := newDam(2, 1).at(x, t)
		return h
	},
	Wave: func(x, t float64) float64 { return oneLayer(x, t).h2 },
}

// pulseOfOne returns thickness and velocity of the simple wave of one layer.
func pulseOfOne(x, t float64) (h, u float64) {
	w := oneLayer(x, t)
	return w.h2, w.q2 / w.h2
}

// suite lists the checks, the fast ones first.
var suite = verify.Suite{Name: "shallow", TwinRanks: 2, Checks: []verify.Check{
	{Name: "lake", About: "Lakes at rest over a submerged bump", Run: lake},
	{Name: "island", About: "An emerged island: at rest, and under a wave", Run: island},
	{Name: "modes", About: "Speeds of linear waves", Run: modes},
	{Name: "reductions", About: "Two layers that reduce to one: equal densities, or a very light upper layer",
		Run: reductions},
	{Name: "stoker", About: "Stoker's dam break over a wet bed, one layer", Run: stoker},
	{Name: "ritter", About: "Ritter's dam break over a dry bed, one layer", Run: ritter},
	{Name: "thacker", About: "Thacker's oscillations in a paraboloid, one layer", Run: thacker},
	{Name: "manufactured", About: "A manufactured solution of both layers over a varying bed", Run: manufactured},
	{Name: "beds", About: "Rest on random beds, at both orders", Run: beds},
	{Name: "waves", About: "Simple waves of one layer and of two, at second order", Run: waves},
	{Name: "dams", About: "Dam breaks at second order: Stoker, Ritter, Dressler", Run: dams},
	{Name: "bowls", About: "Thacker's oscillations at second order, three periods", Run: bowls},
	{Name: "channels", About: "What is given at boundaries: a discharge, a level, waves that leave", Run: rivers.Channels},
	{Name: "outlets", About: "Uniform flow to an open outlet and to one of normal depth", Run: rivers.Outlets},
	{Name: "overfalls", About: "A free overfall by several conditions, and the way to it", Run: rivers.Overfalls},
	{Name: "discharges", About: "A rating curve, and a discharge over a section of two depths", Run: rivers.Discharges},
	{Name: "roughness", About: "Uniform flow where roughness depends on the depth", Run: rivers.Roughness},
	{Name: "infiltration", About: "Infiltration by the laws of its models", Run: rivers.Infiltration},
	{Name: "weirs", About: "Dam breaks at steps of the bed, and the head of flow over weirs", Run: rivers.Weirs},
	{Name: "structures", About: "Culverts, bridges and a breach between two levels, and a pump", Run: rivers.Structures},
	{Name: "rules", About: "Gates between two levels, and rules by which gates and pumps operate", Run: rivers.Rules},
	{Name: "runoff", About: "Rain that runs off a plane, during the rain and after it", Run: rivers.Runoff},
	{Name: "air", About: "Wind and pressure that change in space and time, and the level that they hold", Run: surge.Air},
	{Name: "forcing", About: "Rain, the earth's rotation, a tide, a bed that rises, the air's pressure", Run: forcing},
	{Name: "earth", About: "The earth as a sphere: rest, steady zonal flow, a standing wave", Run: earth.Earth},
	{Name: "faults", About: "Displacements of the ground by faults, as published", Run: quake},
	{Name: "floods", About: "Sheet flow, random beds without friction, disturbed lakes, random floods", Run: floods},
	{Name: "adaptive", About: "Meshes that follow a dam break and a wave, and rest on them", Run: adaptive.Follow(exacts)},
	{Name: "local-steps", About: "Local time steps: a wave, rest, a flood of dry land", Run: localsteps.Check(pulseOfOne)},
	{Name: "rotation", About: "A basin and an eddy over many days", Run: rotation},
	{Name: "tide", About: "An amphidromic tide in a round basin", Run: amphidrome},
	{Name: "harbour", About: "Twenty tides in a harbour with flats and an island", Run: harbour},
	{Name: "seiche", About: "A seiche of two layers over many periods", Run: seiche},
	{Name: "paper-again", About: "Tests 1 and 2 of the paper at second order", Run: paperAgain},
	{Name: "hyperbolic", About: "Loss of hyperbolicity: test 2 of the paper, run longer", Run: hyperbolic},
	{Name: "paper", About: "Tests 1 and 2 of de la Asunción, Mantas and Castro, CMMSE 2012", Run: paper},
	{Name: "bandwidth", About: "Bandwidths of refined meshes, Table 3 of the paper", Run: bandwidth},
}}

package swarm

// values are values of keys that are neither choices nor switches, by solver and key. A key without a solver before it
// is one of all solvers.
var values = map[string][]string{
	"vof method.cfl":              {"0.5", "0.3", "0.9", "0.07"},
	"vof initial.levels":          {"3", "0", "1"},
	"level-set method.cfl":        {"0.5", "0.3", "1", "1.9", "3"},
	"level-set method.band":       {"4", "5", "7.5"},
	"level-set method.escape":     {"1", "0", "0.5", "3"},
	"level-set method.reseed":     {"1", "2", "3", "7"},
	"level-set method.iterations": {"1", "2", "3"},
	"level-set method.particles":  {"0", "1", "4", "7"},

	"two-phase method.cfl":               {"0.4", "0.1", "0.5"},
	"two-phase method.tolerance":         {"1e-6", "1e-9", "1e-3"},
	"two-phase method.viscous_tolerance": {"1e-5", "1e-9", "1e-2"},
	"two-phase method.max_step":          {"0", "1e-3", "0.02"},

	"shallow-water mesh.seed":               {"1", "2", "11"},
	"shallow-water mesh.refine":             {"1"},
	"shallow-water physics.density_ratio":   {"0.98", "0.5", "1"},
	"shallow-water physics.gravity":         {"9.81", "1"},
	"shallow-water physics.cfl":             {"0.9", "0.3", "1"},
	"shallow-water physics.entropy_fix":     {"0", "0.2", "1"},
	"shallow-water physics.dry_depth":       {"1e-3", "1e-5", "0.05"},
	"shallow-water physics.manning":         {"0.02", "'0.02 + 0.002*x'", "0.3"},
	"shallow-water maxima.threshold":        {"0.01", "0.1"},
	"shallow-water forcing.rain":            {"1e-3", "'t < 0.4 ? 0.02 : 0'", "{series='rain.csv', hold=true}"},
	"shallow-water forcing.rain_pattern":    {"'1 + 0.1*x'"},
	"shallow-water forcing.evaporation":     {"0.02", "'0.01*t'"},
	"shallow-water forcing.infiltration":    {"'0.005*(1 + y/10)'", "0.1"},
	"shallow-water forcing.wind_x":          {"10", "'10 - t'"},
	"shallow-water forcing.wind_y":          {"3", "'sin(7*t)'"},
	"shallow-water forcing.wind_drag":       {"0.1"},
	"shallow-water forcing.coriolis":        {"'0.3 + 0.01*y'", "0.5"},
	"shallow-water forcing.latitude":        {"45", "'y'"},
	"shallow-water forcing.pressure":        {"'200*x*y'"},
	"shallow-water forcing.pressure_course": {"'1 + t'"},
	"shallow-water forcing.uplift":          {"'0.2*exp(-x*x)'", "-0.1"},
	"shallow-water forcing.uplift_start":    {"0.05", "0.3"},
	"shallow-water forcing.uplift_end":      {"0.3", "0.5"},

	"smooth mesh.seed":         {"1", "2", "11"},
	"smooth mesh.refine":       {"1"},
	"smooth method.sweeps":     {"9", "17", "1"},
	"smooth method.relax":      {"0.5", "1.5", "0.9"},
	"smooth method.ridge":      {"0", "30"},
	"smooth method.settled":    {"0.01", "1e-4"},
	"smooth method.gain":       {"1e-3", "0"},
	"smooth method.floor":      {"0.2", "0.9"},
	"smooth metric.hmin":       {"0.1"},
	"smooth metric.hmax":       {"5"},
	"smooth metric.aspect":     {"3"},
	"smooth metric.gradation":  {"1.3"},
	"smooth metric.samples":    {"0", "8", "32"},
	"smooth metric.norm":       {"4"},
	"smooth metric.complexity": {"100"},
	"smooth metric.curvature":  {"0.1"},
	"smooth metric.rounds":     {"1", "2"},
	"smooth metric.waves":      {"2"},
	"smooth metric.also":       {"'x*y'"},
	"smooth stop.every":        {"1", "3", "7"},
	"smooth stop.move":         {"0.05"},
	"smooth stop.mean":         {"0.9"},
	"smooth stop.worst":        {"0.5"},
	"smooth stop.advance":      {"0.01"},
}

// schedules are keys that do not change the state: drawn for each run of a case, from these values or from the options
// of the key.
var schedules = map[string][]string{
	"vof method.exchange":          nil,
	"vof method.sweep":             nil,
	"level-set method.correct":     nil,
	"level-set method.sort":        {"0", "1", "3", "20"},
	"level-set method.balance":     nil,
	"shallow-water mesh.order":     nil,
	"shallow-water mesh.partition": nil,
	"smooth mesh.partition":        nil,
	"smooth method.deep":           nil,
	"output.files":                 nil,
	"output.compress":              nil,
}

// elsewhere are the keys that are drawn by other code (the grid or mesh, the initial state, the velocity, the schedule
// of output), or left out, with the reason. A key stands for the keys below it too.
var elsewhere = map[string]string{
	"solver": "", "grid": "", "time": "", "initial": "", "velocity": "", "boundary": "", "gauge": "", "transect": "",
	"source": "", "culvert": "", "pump": "", "solid": "",
	"output.every": "", "output.fields": "", "output.format": "", "output.conservation_every": "",
	"output.exact_times": "", "checkpoint": "",
	"mesh.generate": "", "mesh.bounds": "", "mesh.cells": "", "metric": "", "physics.layers": "", "maxima": "",
	"forcing": "forcings need each other",

	"fluids": "", "sides": "", "drops": "", "bubbles": "",

	"name": "names files", "title": "for people", "crs": "for people",
	"output.dir": "a folder for each run", "output.raster": "made from the last state",
	"output.mesh": "made from the last state", "exact": "compared with the last state",
	"mesh.file":           "readers have their own tests",
	"forcing.air_density": "a factor of wind_drag", "forcing.water_density": "a factor of pressure",
	"method.force": "about files",
}

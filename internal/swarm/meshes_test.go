package swarm

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

func drawShallow(rt *rapid.T, c *testCase) {
	c.Steps, c.End = 1+below(rt, "steps", 40), 1e3
	if oneIn(rt, "ends in time", 4) {
		c.End = .02 * float64(c.Steps)
	}
	layers := 1 + below(rt, "layers", 2)
	cells := pick(rt, "cells", 50, 2, 7, 120, 13, 300, 30)
	width := pick(rt, "width", 5, 20, .7)
	c.Text = fmt.Sprintf("solver = 'shallow-water'\nmesh = { generate = '%s', bounds = [%v, -5, %v, 5], cells = %d }\n"+
		"time = { end = %v, max_steps = %d }\n", pick(rt, "generator", "rectangle", "delaunay"), -width, width, cells, c.End,
		c.Steps)
	c.Text += drawWater(rt, layers) + drawSides(rt, layers)
	c.Files["rain.csv"] = []byte("t,rain\n0,0.001\n0.1,0.02\n0.5,0\n")
	addWeather(c.Files)
	if oneIn(rt, "wind", 4) {
		c.Sets = append(c.Sets, "forcing.wind_x='10 - t'", "forcing.wind_y=3")
	} else if oneIn(rt, "wind over time", 4) {
		c.Sets = append(c.Sets, "forcing.wind_x_field={list='rasters.csv', unit='mm/s'}",
			"forcing.wind_y_field={list='rasters.csv', unit='km/h'}")
	}
	if layers == 1 && oneIn(rt, "levels under a storm", 6) {
		c.Sets = append(c.Sets, "forcing={storm={track='track.csv', latitude=-20, b=1.5}}",
			"boundary.left={level='0.1*sin(9*t)', ambient=100000}", "boundary.top={radiation=0, ambient='980 hPa'}")
	}
	if layers == 1 && oneIn(rt, "structures", 3) {
		c.Text += drawStructures(rt, width)
	}
	if layers == 1 && oneIn(rt, "maxima", 3) {
		c.Text += "[maxima]\n"
	}
	if oneIn(rt, "adapt", 4) {
		c.Text += "[adapt]\n" + pick(rt, "looks", "steps = 5", "steps = 3", "every = 0.07") + "\n" +
			pick(rt, "sizes", "error = 0.05", "target = 60", "error = 0.01") + "\nhmin = 0.8\n"
	}
	for k := range below(rt, "gauges", 3) {
		at := []float64{width * pick(rt, "position", .01, -.9, .77), 5 * pick(rt, "position", .01, -.93, .6)}
		c.Gauges = append(c.Gauges, place{fmt.Sprint("g", k), "at", list("%v", at)})
	}
	for k := range below(rt, "transects", 3) {
		x := width * pick(rt, "position", .011, -.83)
		c.Lines = append(c.Lines, place{fmt.Sprint("l", k), "line", fmt.Sprintf("[[%v, -4.9], [%v, 4.7]]", x, -.6*x)})
	}
}

// addWeather adds rasters over time, and the track of a storm, that cover all meshes and runs.
func addWeather(files map[string][]byte) {
	list := "t,file\n"
	for k, at := range []float64{0, .05, .11, .2, .3, 1001} {
		name := fmt.Sprintf("r%d.asc", k)
		text := "ncols 3\nnrows 2\nxllcorner -22\nyllcorner -15\ncellsize 15\n"
		for n := range 6 {
			text += fmt.Sprintf("%d ", (7*n+5*k)%11*2000)
		}
		files[name] = []byte(text)
		list += fmt.Sprintf("%v,%s\n", at, name)
	}
	files["rasters.csv"] = []byte(list)
	files["track.csv"] = []byte("t,x,y,pressure,radius\n0,-200,-40,95000,150\n0.5,20,30,96000,200\n" +
		"1001,300,90,99000,250\n")
}

// drawStructures draws sources, culverts, bridges, breaches and pumps, some of which share cells.
func drawStructures(rt *rapid.T, width float64) (text string) {
	at := func() string {
		return list("%v", []float64{width * pick(rt, "position", .01, -.9, .77), 5 * pick(rt, "position", .01, -.93, .6)})
	}
	for k := range 1 + below(rt, "number", 4) {
		text += pick(rt, "structure",
			"[[source]]\nat = "+at()+"\ndischarge = '2*sin(9*t)'\n",
			"[[source]]\nat = "+at()+"\ndischarge = 0.3\nradius = 1\n",
			"[[culvert]]\nfrom = "+at()+"\nto = "+at()+"\nlength = 3\ndiameter = 0.5\n",
			"[[bridge]]\nfrom = "+at()+"\nto = "+at()+"\nwidth = 1\ninvert = -0.3\nsoffit = 0\ndeck = 0.1\n",
			"[[breach]]\nfrom = "+at()+"\nto = "+at()+"\nradius = 1\ncrest = '0.4 - 2*t'\nlength = '3*t'\n",
			"[[breach]]\nfrom = "+at()+"\nto = "+at()+"\nradius = 1\nstart = "+pick(rt, "start", "0.31", "0.1", "0.5")+
				"\ncrest = '0.1 - 2*t'\nlength = '0.5 + 3*t'\n",
			"[[culvert]]\nfrom = "+at()+"\nto = "+at()+"\nlength = 3\nwidth = 1\nheight = 0.5\none_way = true\n"+
				"opening = 'min(1, t)'\n",
			"[[pump]]\nfrom = "+at()+"\nto = "+at()+"\ndischarge = 0.4\n",
			"[[pump]]\nfrom = "+at()+"\ndischarge = '1 + t'\nstart = 0.2\nstop = 0.1\n",
			fmt.Sprintf("[[rule]]\nstructure = 's%d'\nwatch = 'level'\nat = %s\nopen = 0.3\nclose = 0.1\n", k, at())+
				"[[gate]]\nfrom = "+at()+"\nto = "+at()+"\nwidth = 1\nradius = 1\nopening = 0.4\ntop = 0.5\ntravel = 0.1\n",
			fmt.Sprintf("[[rule]]\nstructure = 's%d'\nwatch = 'discharge'\nline = [[-9, -9], [9, 9]]\n", k)+
				"table = [[-0.2, 0], [0.4, 1]]\n[[pump]]\nfrom = "+at()+"\ndischarge = 0.5\n")
		text += fmt.Sprintf("name = 's%d'\n", k)
	}
	return text
}

// drawWater draws the sections physics and initial.
func drawWater(rt *rapid.T, layers int) string {
	if layers == 1 {
		return pick(rt, "physics", "physics = { layers = 1 }\n", "physics = { layers = 1, manning = 0.03, "+
			"manning_shallow = 0.2, depth_shallow = 0.05, depth_deep = '0.5 + 0.02*x' }\n") + pick(rt, "initial",
			"initial = { depth = '1 - 2.5*exp(-(x*x + y*y)/2)', z = 'x < -2 ? 0.3 : 0' }\n",
			"initial = { depth = 2, h = '2 + 0.3*sin(x)*sin(2*y)', u = '0.3', v = '-0.1*x' }\n",
			"initial = { depth = '0.2*x', z = 'y > 1 ? 0.5 : -0.2' }\n",
			"initial = { depth = '-0.1*y', h = 'x*x + y*y < 4 ? 1 : 0' }\n")
	}
	return "physics = { density_ratio = 0.95 }\n" + pick(rt, "initial",
		"initial = { depth = '1 - 1.5*exp(-x*x - y*y)', h1 = 'x >= 0 ? 4.0 : 0.5', h2 = '4.5 - h1' }\n",
		"initial = { depth = '1 - 2.5*exp(-(x*x + y*y)/2)', z1 = 'x < -2 ? 0.6 : 0.1', z2 = '-0.3' }\n",
		"initial = { depth = 3, h1 = '1 + 0.2*sin(x)', h2 = '2 - 0.2*sin(x)', u1 = '0.2', v2 = '-0.1' }\n")
}

// drawSides draws the section boundary.
func drawSides(rt *rapid.T, layers int) string {
	conditions := []string{"'wall'", "'open'", "{ level = '0.1*sin(9*t)' }", "{ discharge = 0.5 }",
		"{ radiation = 0, incident = '0.1*(1 - cos(5*t))' }", "{ discharge = 't < 0.3 ? 0.2 : 0' }"}
	if layers == 2 {
		conditions = conditions[:2]
	}
	text := "boundary = {"
	for _, side := range []string{"left", "right", "bottom", "top"} {
		if oneIn(rt, side, 2) {
			text += fmt.Sprintf(" %s = %s,", side, pick(rt, side, conditions...))
		}
	}
	return strings.TrimSuffix(text, ",") + " }\n"
}

func drawSmooth(rt *rapid.T, c *testCase) {
	c.Steps = 1 + below(rt, "sweeps", 30)
	c.End = float64(c.Steps)
	metrics := []string{"field = 'uniform'", "field = 'linear', low = 0.5, high = 0.05", "field = 'implied'",
		"field = 'sinusoidal', low = 0.2, high = 0.05"}
	if oneIn(rt, "space", 4) {
		c.Text = fmt.Sprintf("mesh = { generate = 'box', bounds = [0, 0, 0, 1, 1, %v], cells = %d }\n", pick(rt, "height", 1.,
			3), pick(rt, "cells", 48, 6, 130, 300))
		metrics = append(metrics, "width = '0.1 + 0.2*x', height = '0.1', depth = '0.1 + 0.1*z'",
			"m11 = '20', m22 = '30 + x', m13 = '1', m33 = '25'")
	} else {
		c.Text = fmt.Sprintf("mesh = { generate = '%s', bounds = [0, 0, %v, 1], cells = %d }\n", pick(rt, "generator",
			"rectangle", "delaunay"), pick(rt, "width", 1., 4), pick(rt, "cells", 60, 2, 8, 150, 33, 400))
		metrics = append(metrics, "width = '0.1 + 0.2*x', height = '0.1', angle = '30*y'",
			"m11 = '20', m12 = 'x', m22 = '30'", "hessian = 'sin(3*x)*y*y'")
	}
	c.Text = fmt.Sprintf("solver = 'smooth'\n%smetric = { %s }\nmethod = { sweeps = %d }\n", c.Text, pick(rt, "metric",
		metrics...), c.Steps)
}

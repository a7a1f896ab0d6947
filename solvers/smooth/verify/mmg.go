package verify

import "math"

// kindCases are the metrics of the check "kinds". mmg has the mean and the worst quality of meshes of which Mmg 5.8.0,
// a remesher, has moved the vertices only: of the generated meshes, and then of those that Gmsh made (geometryNames).
var kindCases = []metricKind{
	{name: "plane, uniform", dim: 2, sizes: func(_, _, _ float64) [3]float64 { return [3]float64{1, 1, 1} },
		mmg: []meanAndWorst{{.9049, .5810}, {.8842, .3560}, {.8836, .4131}, {.8856, .3568}, {.8835, .3742},
			{.8901, .3061}, {.8938, .3565}, {.8891, .3279}, {.7552, .3086}, {.7294, .3133}, {.8209, .4786}}},
	{name: "plane, graded", dim: 2, sizes: func(x, y, _ float64) [3]float64 {
		h := .02 + .08*distanceBetween(x, y, 0, .3, .4, 0)
		return [3]float64{h, h, h}
	}, mmg: []meanAndWorst{{.7628, .2498}, {.7548, .1770}, {.7542, .1393}, {.7595, .1937}, {.7521, .2207},
		{.7581, .2097}, {.7598, .2047}, {.7609, .1605}, {.7537, .3175}, {.7645, .2493}, {.8094, .4009}}},
	{name: "plane, anisotropic", dim: 2, stretched: true, sizes: func(x, _, _ float64) [3]float64 {
		return [3]float64{.02 + .15*math.Abs(x-.5), .06, 1}
	}, mmg: []meanAndWorst{{.8579, .3629}, {.8286, .2955}, {.8238, .2224}, {.8191, .2771}, {.8147, .2238},
		{.8047, .1617}, {.8050, .2412}, {.8010, .2102}, {.7348, .2459}, {.5986, .1540}, {.8083, .3986}}},
	{name: "space, uniform", dim: 3, sizes: func(_, _, _ float64) [3]float64 { return [3]float64{1, 1, 1} },
		mmg: []meanAndWorst{{.4412, .0001}, {.4406, .0040}, {.3998, .0017}, {.4003, .0045}, {.4209, .0012},
			{.4127, .0004}, {.4146, .0016}, {.4056, .0003}, {.7031, .0922}, {.7069, .0225}, {.6326, .0088}}},
	{name: "space, graded", dim: 3, sizes: func(x, y, z float64) [3]float64 {
		h := .05 + .15*distanceBetween(x, y, z, .2, .2, .2)
		return [3]float64{h, h, h}
	}, mmg: []meanAndWorst{{.4235, .0001}, {.4134, .0032}, {.3920, .0019}, {.3845, .0050}, {.4059, .0008},
		{.3988, .0002}, {.4027, .0017}, {.3948, .0004}, {.6490, .1021}, {.6211, .0192}, {.6001, .0117}}},
	{name: "space, anisotropic", dim: 3, stretched: true, sizes: func(_, _, z float64) [3]float64 {
		return [3]float64{.1, .1, .025 + .15*math.Abs(z-.5)}
	}, mmg: []meanAndWorst{{.3881, .0021}, {.4275, .0011}, {.4014, .0018}, {.3990, .0014}, {.3164, .0013},
		{.3426, .0004}, {.3447, .0007}, {.3596, .0002}, {.5244, .0573}, {.5852, .0553}, {.4811, .0114}}},
}

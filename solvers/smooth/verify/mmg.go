package verify

import "math"

// kindCases are the metrics of the check "kinds", with the figures of Mmg.
var kindCases = []kind{
	{name: "plane, uniform", dim: 2, at: func(_, _, _ float64) [3]float64 { return [3]float64{1, 1, 1} },
		mmg: []quality{{.9049, .5810}, {.8842, .3560}, {.8836, .4131}, {.8856, .3568}, {.8835, .3742}, {.8901, .3061},
			{.8938, .3565}, {.8891, .3279}}},
	{name: "plane, graded", dim: 2, at: func(x, y, _ float64) [3]float64 {
		h := .02 + .08*centred(x, y, 0, .3, .4, 0)
		return [3]float64{h, h, h}
	}, mmg: []quality{{.763, .250}, {.755, .177}, {.754, .139}, {.7595, .1937}, {.7521, .2207}, {.7581, .2097},
		{.7598, .2047}, {.7609, .1605}}},
	{name: "plane, anisotropic", dim: 2, stretched: true, at: func(x, _, _ float64) [3]float64 {
		return [3]float64{.02 + .15*math.Abs(x-.5), .06, 1}
	}, mmg: []quality{{.8579, .3629}, {.8286, .2955}, {.8238, .2224}, {.8191, .2771}, {.8147, .2238}, {.8047, .1617},
		{.8050, .2412}, {.8010, .2102}}},
	{name: "space, uniform", dim: 3, at: func(_, _, _ float64) [3]float64 { return [3]float64{1, 1, 1} },
		mmg: []quality{{.4412, .0001}, {.4406, .0040}, {.3998, .0017}, {.4003, .0045}}},
	{name: "space, graded", dim: 3, at: func(x, y, z float64) [3]float64 {
		h := .05 + .15*centred(x, y, z, .2, .2, .2)
		return [3]float64{h, h, h}
	}, mmg: []quality{{.4235, .0001}, {.4134, .0032}, {.3920, .0019}, {.3845, .0050}}},
	{name: "space, anisotropic", dim: 3, stretched: true, at: func(_, _, z float64) [3]float64 {
		return [3]float64{.1, .1, .025 + .15*math.Abs(z-.5)}
	}, mmg: []quality{{.3881, .0021}, {.4275, .0011}, {.4014, .0018}, {.3990, .0014}}},
}

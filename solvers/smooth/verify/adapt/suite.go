// Package adapt holds the checks of mesh adaptation.
package adapt

import "github.com/atoll-hpc/atoll/run/verify"

func init() { verify.Register(suite) }

// suite holds the checks, the fast ones first.
var suite = verify.Suite{Name: "adapt", Checks: []verify.Check{
	{Name: "same", About: "One mesh for any number of threads, and again on its own result", Run: same},
	{Name: "interpolation", About: "The error of linear interpolation that metrics from second derivatives leave",
		Run: interpolation},
	{Name: "level", About: "The area in a circle and the volume in a sphere along which a mesh was cut", Run: level},
	{Name: "plane", About: "Quality, edges and numbers of vertices in the plane, compared with Mmg's", Run: plane},
	{Name: "space", About: "The same in space", Run: space},
}}

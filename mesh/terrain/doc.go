// Package terrain makes meshes of triangles for terrains: of the region inside an outline, with edges along lines, and
// with sizes that follow the curvature and slope of the ground, the lines, and zones of given size.
//
//   - A coarse triangulation of the lines (mesh/constrained) shows how near they are to each other.
//   - A grid has the size that edges shall have at each place: the least of those that the ground, zones, lines and the
//     distances between lines ask for, made to grow with the distance at most (sizes.go).
//   - The sizes of the ground are multiplied by the number that makes the mesh have as many triangles as are wanted.
//   - mesh/adapt changes the triangulation until its edges have these sizes.
package terrain

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/constrained"
)

// Options describe a mesh.
type Options struct {
	Lines  []constrained.Line // those that bound are the outline of the region
	Groups []mesh.Group       // of the lines

	Along []Along // lines and points near which edges have given sizes
	Zones []Zone

	// Height is the mean height of the ground over a square with the given centre and side, and false where it is not
	// known. It may be nil.
	Height func(x, y, side float64) (float64, bool)

	Triangles int     // number that is wanted
	Least     float64 // sizes that the ground asks for are between Least and Most; 0 means a third of the mean size
	Most      float64 // 0 means four times the mean size
	Growth    float64 // largest ratio of the sizes of neighbouring edges, above 1
	Slope     float64 // weight of slopes, relative to curvature
	// Tolerance is the largest distance of lines from the edges along them; vertices that this does not need are left out.
	Tolerance float64
	// Scale is the length of a metre of the ground on the map, on which all positions are, at a height y of the map. It is
	// the same in all directions. nil: 1. Sizes, widths and Tolerance are on the ground.
	Scale   func(y float64) float64
	Threads int // 0 means all processors
	// Progress is called with the number of vertices from time to time; it may be nil.
	Progress func(vertices int)
}

// Along is a line along which edges have a size; a single position is a line too.
type Along struct {
	X     [][2]float64
	Size  float64
	Width float64 // positions within half of it have the same size; 0 for those on the line
	From  string  // input that asks for it, for messages
}

// Zone is an area in which edges have at most a size. Positions are in it that are inside an odd number of rings.
type Zone struct {
	Rings [][][2]float64
	Size  float64
	From  string // input that asks for it, for messages
}

// Report says what a mesh is like.
type Report struct {
	Triangles int     `json:"triangles"`
	Vertices  int     `json:"vertices"`
	Area      float64 `json:"area"`
	// Outside is the length of lines outside the region, which are not in the mesh.
	Outside float64 `json:"outside"`
	// Angle is the smallest angle in degrees, at AngleX, AngleY. InputAngle is the smallest angle between lines.
	Angle      float64 `json:"smallest_angle"`
	AngleX     float64 `json:"smallest_angle_x"`
	AngleY     float64 `json:"smallest_angle_y"`
	InputAngle float64 `json:"smallest_angle_of_lines"`
	// Within is the share of edges whose lengths are within a factor of 1.5 of the size that is asked for.
	Within float64 `json:"within_1.5"`
	// Off is the largest distance of edges from the lines along which they are.
	Off float64 `json:"off_lines"`
	// Least and Most are the extreme sizes that are asked for.
	Least float64 `json:"least_size"`
	Most  float64 `json:"most_size"`
}

// Text is the report for people.
func (r *Report) Text() string {
	return fmt.Sprintf("%d triangles, %d vertices, area %s, edges of %.3g to %.3g\n"+
		"smallest angle %.1f° at (%.10g, %.10g); %.1f%% of the edges are within a factor of 1.5 of their size\n"+
		"edges are within %.2g of their lines\n", r.Triangles, r.Vertices, words.Rounded(r.Area, 6), r.Least, r.Most,
		r.Angle, r.AngleX, r.AngleY, 100*r.Within, r.Off)
}

// angles sets the smallest angle.
func (r *Report) angles(m *mesh.Mesh) {
	r.Angle = 180
	for c, v := range m.Cells {
		for k := range v {
			if a := angleAt(m, v[k], v[(k+1)%3], v[(k+2)%3]); a < r.Angle {
				r.Angle = a
				r.AngleX, r.AngleY = m.Centroid(c)
			}
		}
	}
}

// angleAt is the angle at a between the directions to b and c, in degrees.
func angleAt(m *mesh.Mesh, a, b, c int32) float64 {
	ux, uy := m.X[b]-m.X[a], m.Y[b]-m.Y[a]
	vx, vy := m.X[c]-m.X[a], m.Y[c]-m.Y[a]
	return math.Atan2(math.Abs(ux*vy-uy*vx), ux*vx+uy*vy) * 180 / math.Pi
}

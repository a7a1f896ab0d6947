// Package terrain is the command atoll mesh terrain: it reads polygons, lines and rasters, and makes a mesh of them
// (mesh/terrain).
package terrain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/mesh/terrain"
	"github.com/atoll-hpc/atoll/solvers"
)

// request is what the flags say.
type request struct {
	domain                             string
	dem                                []string
	lines, zones, channels, boundaries []string

	triangles             int
	simplify, tolerance   float64
	least, most           float64
	growth, slope, across float64
	threads               int
	asJSON                bool
}

const long = `Make a mesh of triangles of a terrain. The polygons of --domain are its region. Edges are small where the
ground of --dem curves or is steep, and grow with the distance from there, from lines, channels and zones with sizes.
The result has about the number of triangles of --triangles, and does not depend on the number of threads.

Files are GeoJSON (.geojson, .json) or Shapefile (.shp), with coordinates in the system of --dem: in m, or longitudes
and latitudes in degrees. Sizes, widths and distances are in m on the ground. Properties of features:

  --domain      polygons; holes are allowed
  --boundaries  parts of the outline that become groups, with a name: points with a width, the length of the outline
                around them, or lines, whose ends are near those of the part
  --lines       walls, levees and other lines that become edges, in a group with their name (or that of the file);
                size, optional: that of the edges along them
  --channels    middles of rivers: width, of the area in which edges are small; size, or a third of the width
  --zones       polygons: size, the largest of the edges in them

What --boundaries leaves of the outline is the group "outline". Values in parentheses are defaults.`

const example = `  atoll mesh terrain city.msh --domain area.geojson --dem lidar.tif --triangles 100000
  atoll mesh terrain eden.msh --domain outline.shp --simplify 25 --dem dem.tif --boundaries rivers.geojson \
    --channels rivers.geojson --lines levees.geojson --triangles 20000`

// Command returns the command. check reports whether a mesh can be written to a path, and save writes it and prints
// what it has written.
func Command(check func(path string) error, save func(path string, m *mesh.Mesh) error) *cobra.Command {
	var r request
	c := &cobra.Command{
		Use: "terrain OUT", Short: "Make a mesh of a terrain from polygons, lines and rasters", Long: long, Example: example,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := check(args[0]); err != nil {
				return err
			}
			m, report, err := r.generate(cmd.Context(), os.Stderr)
			if err != nil {
				return err
			}
			if r.asJSON {
				if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
					return err
				}
				return save(args[0], m)
			}
			fmt.Print(report.Text())
			return save(args[0], m)
		},
	}
	p := c.Flags()
	p.StringVar(&r.domain, "domain", "", "file of the polygons of the region")
	p.StringSliceVar(&r.dem, "dem", nil, "rasters of the height of the ground, the coarse ones first")
	p.StringSliceVar(&r.boundaries, "boundaries", nil, "files of parts of the outline that become groups")
	p.StringSliceVar(&r.lines, "lines", nil, "files of lines that become edges and groups")
	p.StringSliceVar(&r.channels, "channels", nil, "files of the middles of channels")
	p.StringSliceVar(&r.zones, "zones", nil, "files of polygons with sizes")
	p.IntVar(&r.triangles, "triangles", 0, "number of triangles, met within 2%")
	p.Float64Var(&r.simplify, "simplify", 0, "how far the outline may be moved to have fewer vertices, in m (--tolerance)")
	p.Float64Var(&r.tolerance, "tolerance", 0.01, "largest distance of lines from the edges along them, in m")
	p.Float64Var(&r.least, "min-size", 0, "smallest edge that the ground asks for (a third of the mean)")
	p.Float64Var(&r.most, "max-size", 0, "largest edge (four times the mean)")
	p.Float64Var(&r.growth, "growth", 1.2, "largest ratio of the sizes of neighbouring edges")
	p.Float64Var(&r.slope, "slope", 0.2, "weight of slopes beside that of curvature; 0: curvature alone")
	p.Float64Var(&r.across, "across", 3, "edges across a channel without a size")
	p.IntVar(&r.threads, "threads", 0, "threads (as many as processors)")
	p.BoolVar(&r.asJSON, "json", false, "print the report as a JSON object")
	return c
}

// generate reads the files and makes the mesh. It prints notes to log.
func (r *request) generate(ctx context.Context, log io.Writer) (*mesh.Mesh, *terrain.Report, error) {
	if r.domain == "" || r.triangles == 0 {
		return nil, nil, bad(errors.New("give the region by --domain, and the number of triangles by --triangles"))
	}
	in := &input{request: r}
	o, err := in.options()
	for _, note := range in.notes {
		fmt.Fprintln(log, "note:", note)
	}
	if err != nil {
		return nil, nil, bad(err)
	}
	m, report, err := terrain.Generate(ctx, *o)
	var many *terrain.TooMany
	if errors.As(err, &many) && in.geographic() {
		many.Y = sphere.Latitude(many.Y)
	}
	switch {
	case errors.As(err, &many):
		return nil, nil, bad(fmt.Errorf("%w: %s", err, in.advice(many, o.Mean(in.area()))))
	case err != nil && ctx.Err() == nil:
		return nil, nil, bad(fmt.Errorf("%s: %w", r.domain, err))
	case err != nil:
		return nil, nil, err
	}
	if in.geographic() {
		for v, y := range m.Y {
			m.Y[v] = sphere.Latitude(y)
		}
		report.AngleY = sphere.Latitude(report.AngleY)
	}
	if report.Outside > 0 {
		fmt.Fprintf(log, "note: lines of a length of %.4g m outside the region are left out\n", report.Outside)
	}
	if report.Angle < leastAngle {
		fmt.Fprintf(log, "note: the smallest angle is %.1f°, at (%.10g, %.10g); that between lines is %.1f°\n", report.Angle,
			report.AngleX, report.AngleY, report.InputAngle)
	}
	if n := report.Triangles; n > r.triangles*102/100 || n < r.triangles*98/100 {
		fmt.Fprintf(log, "note: %s instead of %d\n", words.Count(n, "triangle"), r.triangles)
	}
	return m, report, nil
}

// leastAngle is the angle in degrees below which a note says where it is.
const leastAngle = 15

func bad(err error) error { return &solvers.BadInput{Err: err} }

package problem

import "github.com/atoll-hpc/atoll/solvers"

// foreign are flags of Mmg (mmg2d, mmg3d) that have other names here, that request the default behaviour, or that
// request what moving vertices cannot do. Flags with the same name, such as -hmin, need no entry.
var foreign = []solvers.ForeignFlag{
	{Name: "-in"}, // the mesh file follows
	{Name: "-optim", Args: []string{"--metric", "implied"}},
	{Name: "-nosurf", Args: []string{"--boundary", "fixed"}},
	{Name: "-noinsert"},
	{Name: "-noswap"},
	{Name: "-nr", Refused: "corners of the boundary are always detected: --ar DEGREES sets the angle from which one " +
		"is kept, and --boundary fixed keeps the whole boundary"},
	{Name: "-hausd", Refused: "no vertex is added on the boundary, so that no distance from it can be prescribed: " +
		"the report has the distance of new boundary edges from the old, and --boundary fixed keeps them"},
	{Name: "-hsiz", Refused: "the number of cells stays: --metric uniform requests one uniform size, chosen " +
		"to fit the mesh"},
	{Name: "-nomove", Refused: "this command only moves vertices"},
	{Name: "-hgradreq", Refused: "required entities have no separate gradation: --hgrad applies to all"},
	{Name: "-nosizreq", Refused: "required entities prescribe no sizes: leave it out"},
	{Name: "-A", Refused: "a metric is anisotropic where its file or its expressions are: leave it out"},
	{Name: "-v", Refused: "--quiet prints errors alone; there are no other levels of printing"},
	{Name: "-m", Refused: "the memory of a run cannot be limited: leave it out"},
	{Name: "-ls", Refused: onlyMoves},
	{Name: "-lag", Refused: onlyMoves},
	{Name: "-opnbdy", Refused: "groups inside the mesh stay where they are: leave it out"},
	{Name: "-nreg", Refused: "normals are not regularised: leave it out"},
	{Name: "-xreg", Refused: "the boundary is not regularised: leave it out"},
	{Name: "-nsd", Refused: onlyMoves},
	{Name: "-3dMedit", Refused: "the output mesh has the dimension of the input mesh: leave it out"},
	{Name: "-f", Refused: "there are no parameters of single references; a metric may be an expression over x, y and z"},
	{Name: "-rn", Refused: "vertices keep their numbers; atoll mesh reorders them"},
	{Name: "-val", Refused: defaults},
	{Name: "-default", Refused: defaults},
}

const (
	onlyMoves = "this command only moves vertices toward a metric"
	defaults  = "atoll smooth --help shows the default of each flag"
)

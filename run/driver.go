package run

import "context"

// drivers set the solvers up, by their names in case files. An error leaves nothing behind on the device.
var drivers = map[string]func(ctx context.Context, o Options) (driver, error){
	"shallow-water": newShallow,
	"smooth":        newSmooth,
	"vof":           newVOF,
}

// driver is a solver with a case, on one rank, as the runner needs it. All ranks make the same calls in the same order.
type driver interface {
	// extent tells how large the case is and where it ends.
	extent() extent
	// advance takes at least one and at most so many steps, and stops at until, which is not passed. done tells that the
	// solver has a reason of its own to end there.
	advance(ctx context.Context, until float64, steps int) (done bool, err error)
	// clock returns the time, how many steps led there, and the length of the last.
	clock() (t float64, steps int, dt float64)
	// report measures the state.
	report(ctx context.Context) (report, error)
	// frame returns this rank's piece of a frame, in one of the formats that the case can name.
	frame(ctx context.Context, format string) (piece, error)
	// hash returns the SHA-256 of the state in global order, in hexadecimal.
	hash(ctx context.Context) (string, error)
	// phases tells how many seconds this rank spent where, in a map of the caller's.
	phases() map[string]float64
	// close gives back what the device holds.
	close()
}

// prober is a driver that knows the state at points: its cases can have gauges.
type prober interface {
	// locate finds, among the owned cells that hold a point of two or three coordinates, that of the lowest global id. It
	// returns -1 if there is none.
	locate(at []float64) (cell int, id int64)
	// columns names the numbers of which fields consist.
	columns(fields []string) []string
	// probe writes these numbers of owned cells to values, cell by cell. All ranks call it at the same moments.
	probe(ctx context.Context, fields []string, cells []int, values []float64) error
}

// saver is a driver that moves a mesh. Rank 0 writes it, by the extension of the path.
type saver interface {
	save(ctx context.Context, path string) error
}

// extent is how large a case is and where it ends, on all ranks alike.
type extent struct {
	cells     int64  // of all ranks: what a step updates
	bytes     int64  // of all ranks' arrays
	precision string // of the state: float32 or float64
	halo      string // how ghosts are exchanged
	end       float64
	maxSteps  int // the run stops before end; 0 for no limit
	// sweeps tells that the solver has no time: the clock counts its sweeps, each a step of length 1.
	sweeps bool
	found  string // a line on what the case left to the solver; empty for nothing
}

// report is what is measured of the state. It is the same on all ranks and for any number of them.
type report struct {
	table        []column           // a row of conservation.csv, of the same names in each
	metrics      map[string]float64 // for the summary
	conservation map[string]float64 // relative drift, by name
}

type column struct {
	name  string
	value float64
}

// piece is a rank's part of a frame: what the host holds of the state at one moment.
type piece interface {
	write(path string) error
	// join writes the file that makes one of all ranks' pieces, whose paths are relative to its folder.
	join(path string, pieces []string) error
}

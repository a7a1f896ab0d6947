package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/config"
)

// smoothKeys are the flags of atoll smooth that are keys of a case, and what they say.
var smoothKeys = []struct{ flag, key, usage string }{
	{"metric", "metric.field", "sizes to aim at: uniform, linear, sinusoidal, ugawg-linear; or give expressions"},
	{"low", "metric.low", "size at the lower left, of linear; the least, of sinusoidal"},
	{"high", "metric.high", "size at the upper right, of linear; the greatest, of sinusoidal"},
	{"waves", "metric.waves", "of sinusoidal, across the mesh (1)"},
	{"width", "metric.width", "width of cells, along x, an expression over x, y and z"},
	{"height", "metric.height", "height of cells, along y, an expression"},
	{"depth", "metric.depth", "depth of tetrahedra, along z, an expression"},
	{"angle", "metric.angle", "degrees from the x axis to the direction of the width, around z, an expression"},
	{"m11", "metric.m11", "a component of the metric, an expression; with m12 and m22, and in space m13, m23 and m33"},
	{"m12", "metric.m12", "another (0)"},
	{"m22", "metric.m22", "another"},
	{"m13", "metric.m13", "another, of tetrahedra (0)"},
	{"m23", "metric.m23", "another, of tetrahedra (0)"},
	{"m33", "metric.m33", "another, of tetrahedra"},
	{"sol", "metric.solution", "Medit file (.sol, .solb) of sizes or tensors at the vertices of IN"},
	{"background", "metric.background", "mesh that --sol belongs to (IN)"},
	{"hessian", "metric.hessian", "field whose second derivatives the metric follows: an expression, or " +
		"{mesh='NAME'} of IN's data"},
	{"also", "metric.also", "another field with --hessian: sizes are no larger than either asks for"},
	{"norm", "metric.norm", "p of the Lp norm of the error of interpolating that field (2)"},
	{"hmin", "metric.hmin", "least size, before rescaling"},
	{"hmax", "metric.hmax", "greatest size, before rescaling"},
	{"aspect", "metric.aspect", "largest by least size at a place"},
	{"gradation", "metric.gradation", "most growth of sizes along a unit of length, such as 1.3"},
	{"samples", "metric.samples", "nodes a side of the grid on which expressions are evaluated, a power of two; 0 " +
		"for the vertices of IN (512; of tetrahedra 64)"},
	{"rescale", "metric.rescale", "scale the metric so that the mesh has as many cells as it asks for (true)"},
	{"smoother", "method.smoother", "laplacian, pain, pain-newton, pain-exact, smart, fjp or hybrid (pain-exact; " +
		"without a metric hybrid)"},
	{"sweeps", "method.sweeps", "the most sweeps (100)"},
	{"relax", "method.relax", "ω, above 0 and below 2 (1; of pain 0.5)"},
	{"guard", "method.guard", "what keeps cells from turning over: none, halve or clip (halve)"},
	{"boundary", "method.boundary", "what vertices of straight or flat boundaries do: slide or fixed (slide)"},
	{"colouring", "method.colouring", "jones-plassmann, first-fit or two-level (jones-plassmann)"},
	{"floor", "method.floor", "hybrid optimises below this quality (the mean; of tetrahedra half of it)"},
	{"untangle", "method.untangle", "true mends triangles that are turned over before the sweeps (false: they are refused)"},
	{"precision", "method.precision", "float64 or float32 (float64)"},
	{"every", "stop.every", "sweeps between two looks at the rules to stop by (10)"},
	{"move", "stop.move", "stop when no vertex moves by more, in the metric"},
	{"mean", "stop.mean", "stop when the mean quality is this or more"},
	{"worst", "stop.worst", "stop when the worst quality is this or more"},
	{"advance", "stop.advance", "stop when neither the mean nor the worst quality has risen by as much since the " +
		"last look (0; for hybrid 1e-4)"},
}

// smoothFlags are the flags of atoll smooth that are no keys of a case.
type smoothFlags struct {
	ranks, threads int
	backend        string
	json           string
	show, quiet    bool
}

func smoothCommand() *cobra.Command {
	var f smoothFlags
	c := &cobra.Command{
		Use:   "smooth IN OUT",
		Short: "Move the vertices of a mesh toward what a metric asks for, keeping its connectivity and groups",
		Long: `Move the vertices of a mesh of triangles or tetrahedra toward what a metric asks for,
keeping its connectivity and groups.

IN is a .msh, .mesh, .meshb, .vtu or .pvtu file; OUT is written by its extension: .msh, .mesh, .meshb or .vtu.
Values in parentheses are what holds without the flag.`,
		Example: `  atoll smooth wing.msh better.msh
  atoll smooth in.mesh out.vtu --metric linear --low 0.5 --high 0.05 --smoother pain-exact --relax 1.8
  atoll smooth in.msh out.msh --width '0.01 + 0.1*abs(y)' --height 0.02 --worst 0.3
  atoll smooth block.msh better.msh --width 0.1 --height 0.1 --depth '0.02 + 0.2*abs(z)'`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := smoothCase(args[0], args[1], func(flag string) (string, bool) {
				return cmd.Flag(flag).Value.String(), cmd.Flag(flag).Changed
			})
			if err != nil {
				return err
			}
			if f.show {
				fmt.Print(c)
				return nil
			}
			return f.smooth(cmd.Context(), c, args[1])
		},
	}
	p := c.Flags()
	p.SortFlags = false
	for _, k := range smoothKeys {
		p.String(k.flag, "", k.usage)
	}
	p.IntVarP(&f.ranks, "ranks", "n", 1, "number of ranks, as goroutines of this process; atoll run does it over machines")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.StringVar(&f.json, "json", "", "file for the report in JSON")
	p.BoolVar(&f.show, "case", false, "print the same as a case file for atoll run, and stop")
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	return c
}

// smoothCase is the case that the arguments and flags stand for.
func smoothCase(in, out string, flag func(string) (value string, given bool)) (*config.Case, error) {
	if err := meshio.Writable(out); err != nil {
		return nil, usageError{err}
	}
	path, err := filepath.Abs(in)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(in), filepath.Ext(in))
	sets := []string{"mesh.file=" + fmt.Sprintf("%q", path)}
	metric := false
	for _, k := range smoothKeys {
		if value, given := flag(k.flag); given {
			if k.flag == "sol" || k.flag == "background" {
				if value, err = filepath.Abs(value); err != nil {
					return nil, err
				}
				value = fmt.Sprintf("%q", value)
			}
			sets = append(sets, k.key+"="+value)
			metric = metric || strings.HasPrefix(k.key, "metric.") &&
				!slices.Contains([]string{"rescale", "samples", "hmin", "hmax", "aspect", "gradation"}, k.flag)
		}
	}
	if !metric {
		sets = append(sets, "metric.field=uniform")
		if _, given := flag("smoother"); !given { // there are bad triangles to mend, and no sizes to follow
			sets = append(sets, "method.smoother=hybrid")
			if _, given := flag("advance"); !given {
				sets = append(sets, "stop.advance=1e-4")
			}
		}
	}
	c, err := config.Parse(name+".toml", []byte("solver = \"smooth\"\n"), sets)
	if err != nil {
		text := err.Error()
		for _, k := range smoothKeys {
			table, name, _ := strings.Cut(k.key, ".")
			text = strings.ReplaceAll(text, "--set "+k.key+":", "--"+k.flag+":")
			text = strings.ReplaceAll(text, fmt.Sprintf("--set %s: [%s] %s:", table, table, name), "--"+k.flag+":")
		}
		return nil, usageError{errors.New(text)}
	}
	return c, nil
}

// smooth runs the case on ranks of this process.
func (f *smoothFlags) smooth(ctx context.Context, c *config.Case, out string) error {
	switch {
	case f.ranks < 1 || f.threads < 0:
		return usageError{fmt.Errorf("--ranks %d and --threads %d: at least 1 rank, and 0 threads or more", f.ranks,
			f.threads)}
	case f.backend != "cpu" && f.backend != "cuda":
		return usageError{fmt.Errorf("--backend %q is not known; choose cpu or cuda", f.backend)}
	}
	threads := f.threads
	if threads == 0 {
		threads = max(1, runtime.GOMAXPROCS(0)/f.ranks)
	}
	devices := runFlags{backend: f.backend}
	var report *run.SmoothReport
	g, ctx := errgroup.WithContext(ctx)
	for rank, comm := range local.New(f.ranks) {
		g.Go(func() error {
			dev, err := devices.device(rank, threads)
			if err != nil {
				comm.Abort(1, err)
				return errors.Join(badInput(err), comm.Close())
			}
			defer dev.Close()
			r, err := run.SmoothMesh(ctx, run.SmoothOptions{Case: c, Comm: comm, Device: dev, Out: out})
			if rank == 0 {
				report = r
			}
			return errors.Join(err, comm.Close())
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if f.json != "" {
		text, err := report.JSON()
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.json, text, 0o666); err != nil {
			return err
		}
	}
	if report.After.Inverted > 0 {
		fmt.Fprintf(os.Stderr, "atoll: %d cells of %s are turned over: use --guard halve or clip\n", report.After.Inverted,
			out)
	}
	if !f.quiet {
		fmt.Print(report.Text())
		fmt.Println("wrote    ", out)
	}
	return nil
}

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/run/plot"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// plotFlags are the flags of atoll plot, unparsed.
type plotFlags struct {
	plot.Options
	frame, valueRange, colours, isolines, slice, width, window, title, strip string
	dry                                                                      float64
}

func plotCommand() *cobra.Command {
	var f plotFlags
	c := &cobra.Command{
		Use:   "plot DIR... | plot MESH...",
		Short: "Draw a run, compare several, or show meshes: maps, slices, surfaces, gauges, histograms and animations",
		Long: "Draw the contents of the output folder of a run: fields in a frame, the partition, gauges beside\n" +
			"measured values, and conserved quantities. " +
			"Of several runs, draw gauges and tables over each other, and named fields\n" +
			"side by side. Of mesh files, draw their groups, fields or quality, several side by side.\n\n" +
			"Pictures go to DIR/plots, or by --out to one file, whose extension sets the format: .png, .pdf, .svg, or for\n" +
			"an animation of all frames .gif or .apng. docs/pictures.md shows each kind of picture and its command.",
		Example: "  atoll plot out/dam-break                              # everything, in the last frame\n" +
			"  atoll plot out/dam-break --field h1 --isolines 8 --width 8.5cm --out h1.pdf\n" +
			"  atoll plot out/dam-break --field z1 --arrows u2,v2 --frame 3 --title 'Surface, {t}' --out z1.png\n" +
			"  atoll plot out/dam-break --field h1 --range 1:4 --out level.gif      # all frames on one scale\n" +
			"  atoll plot out/enright --field f --slice x=0.35 --colours cividis\n" +
			"  atoll plot out/bay --gauge creek --measured tide.csv --out creek.svg\n" +
			"  atoll plot out/coarse out/fine --gauge east --column z1\n" +
			"  atoll plot before.msh after.msh --quality",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(cmd.Flags()); err != nil {
				return usageError{err}
			}
			return badInput(f.draw(args))
		},
	}
	f.flags(c.Flags())
	for name, values := range map[string][]string{"colours": palette.Names(),
		"format": slices.Concat(figure.Formats, figure.AnimationFormats), "frame": {"last", "all"}} {
		// It fails only for unknown flags.
		_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return c
}

func (f *plotFlags) flags(p *pflag.FlagSet) {
	p.SortFlags = false
	p.StringVar(&f.frame, "frame", "last", "which frame: last, all or a number from 0")
	p.StringSliceVar(&f.Fields, "field", nil, "only these fields (surface: the surface in space; rank: the partition)")
	p.StringSliceVar(&f.Gauges, "gauge", nil, "only these gauges, or all")
	p.StringSliceVar(&f.Columns, "column", nil,
		"which columns of gauges (usually levels) or of conservation.csv, or all")
	p.StringVar(&f.slice, "slice", "", "in space: the plane to cut grids and tetrahedra by, as in x=0.5")
	p.StringVar(&f.Measured, "measured", "",
		"CSV of what was measured at gauges: a column for the time, and for each gauge")
	p.BoolVar(&f.Histogram, "histogram", false, "histograms of the values of fields, instead of maps")
	p.BoolVar(&f.Quality, "quality", false, "of meshes: the quality of cells, and its histogram")

	p.StringVarP(&f.Out, "out", "o", "", "one picture or animation, into this file: .png, .pdf, .svg, .gif or .apng; "+
		"with --frame all also a .png is an animation")
	p.StringVar(&f.Format, "format", "", "format of the files in DIR/plots: png, pdf, svg, "+
		"or for animations gif, apng (default png)")
	p.StringVar(&f.Dir, "dir", "", "folder of the files (default DIR/plots; of several runs plots; of meshes here)")
	p.StringVar(&f.width, "width", "", "in pixels, as in 1200, or on paper, as in 8.5cm or 3.3in, with letters of 8\n"+
		"points and 300 pixels an inch (default 1200; animations 800; pdf and svg 6.5in);\n"+
		"if pictures are side by side, the width of each")
	p.StringVar(&f.window, "window", "",
		"what is shown, as in 0:500,-20:20 along x and y, or of series 0:60 (default: all)")
	p.Float64Var(&f.Rate, "fps", 10, "pictures of an animation per second")

	p.StringVar(&f.title, "title", "",
		"title, in which {field} and {t} are replaced; '' for none (default: the field and the time)")
	p.StringVar(&f.Label, "label", "", "text beside the colour bar (default: the field and its unit)")
	p.StringVar(&f.valueRange, "range", "",
		"range of the colour map, lo:hi (default: that of the values in all chosen frames)")
	p.StringVar(&f.colours, "colours", "", "colour map: viridis, cividis, inferno, magma, plasma, batlow, deep, grey,\n"+
		"or about zero coolwarm, vik, balance, BuRd; NAME_r is reversed (default: one that suits the range)")
	p.BoolVar(&f.Log, "log", false, "colours, or the vertical axis, by logarithms")
	p.StringVar(&f.isolines, "isolines", "",
		"number of isolines, or their values, as in 0.5,1,2 (a single whole value as in 2,)")
	p.StringSliceVar(&f.Arrows, "arrows", nil, "a field of vectors, or two of their components, as in u,v")
	p.BoolVar(&f.Edges, "edges", false, "draw the edges of cells")
	p.BoolVar(&f.NoPlaces, "no-places", false,
		"leave out of maps the gauges, lines, structures and boundaries of the case")
	p.Float64Var(&f.dry, "dry", 0, "thickness up to which a layer is drawn as absent, m (default: that of the case)")

	p.StringVar(&f.strip, "strip", "",
		"the surfaces in space of all frames of one or several runs, a row each, into this file")
}

// parse parses the flags with a syntax of their own.
func (f *plotFlags) parse(p *pflag.FlagSet) (err error) {
	addError := func(e error) { err = errors.Join(err, e) }
	var e error
	f.Frame, e = plot.ParseFrame(f.frame)
	addError(e)
	if f.Colours, e = plot.Colours(f.colours); e != nil {
		addError(e)
	}
	if f.valueRange != "" {
		f.Range, e = plot.ParseRange(f.valueRange)
		addError(e)
	}
	if f.isolines != "" {
		f.Isolines, e = chart.ParseLevels(f.isolines)
		addError(e)
	}
	if f.slice != "" {
		f.Slice, e = plot.ParsePlane(f.slice)
		addError(e)
	}
	if f.width != "" {
		f.Page, e = plot.ParseWidth(f.width)
		addError(e)
	}
	if f.window != "" {
		f.Page.Window, e = plot.ParseWindow(f.window)
		addError(e)
	}
	if p.Changed("title") {
		f.Title = &f.title
	}
	if p.Changed("dry") {
		f.DryThreshold = &f.dry
	}
	if !(f.Rate >= 0.1 && f.Rate <= 50) {
		addError(fmt.Errorf("--fps %g: want a number from 0.1 to 50", f.Rate))
	}
	return err
}

// draw draws runs or meshes.
func (f *plotFlags) draw(args []string) error {
	if f.strip != "" {
		picture, err := (&plot.SurfaceMontage{Dirs: args, Page: f.Page}).Draw()
		if err != nil {
			return err
		}
		return picture.Write(f.strip)
	}
	meshes := 0
	for _, name := range args {
		if info, err := os.Stat(name); plot.IsMesh(name) && (err != nil || !info.IsDir()) {
			meshes++ // plot.Meshes reports a file that is missing
		}
	}
	var done *plot.Result
	var err error
	switch {
	case meshes == len(args):
		done, err = plot.Meshes(args, f.Options)
	case meshes > 0:
		return fmt.Errorf("of %d names %d are meshes: give meshes alone, or folders of runs alone", len(args), meshes)
	case f.Quality:
		return errors.New("--quality is for mesh files; for a run, draw its field: --field quality")
	case len(args) > 1:
		done, err = plot.Compare(args, f.Options)
	default:
		done, err = plot.Run(args[0], f.Options)
	}
	if done != nil {
		for _, text := range done.Notes {
			fmt.Fprintln(os.Stderr, text)
		}
		for _, file := range done.Files {
			fmt.Println(file)
		}
	}
	if err == nil && len(args) > 1 && meshes == 0 && len(f.Fields)+len(f.Gauges)+len(f.Columns) == 0 {
		text, err := plot.Metrics(args)
		if err != nil {
			return err
		}
		fmt.Print("\n" + text)
	}
	return err
}

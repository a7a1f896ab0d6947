package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/run/plot"
)

func plotCommand() *cobra.Command {
	var frame, strip string
	o := plot.Options{Width: 1200}
	c := &cobra.Command{
		Use:   "plot DIR | plot DIR... --strip FILE",
		Short: "Draw PNG pictures of a run: maps of fields, the partition, gauges and what is conserved",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if strip != "" {
				img, err := (&plot.Strip{Dirs: args}).Draw()
				if err == nil {
					err = plot.WritePNG(strip, img)
				}
				return badInput(err)
			}
			if len(args) > 1 {
				return usageError{fmt.Errorf("%d folders: several are drawn side by side, with --strip FILE", len(args))}
			}
			var err error
			if o.Frame, err = plot.ParseFrame(frame); err != nil {
				return usageError{err}
			}
			files, err := plot.Run(args[0], o)
			for _, f := range files {
				fmt.Println(f)
			}
			return badInput(err)
		},
	}
	p := c.Flags()
	p.StringVar(&frame, "frame", "last", "which frame: last, all or a number from 0")
	p.StringVar(&strip, "strip", "",
		"draw the surfaces of all frames of one or several runs, a row each, into this PNG file")
	p.StringVar(&o.Field, "field", "", "only this field")
	p.Float64Var(&o.Dry, "dry", 0, "thickness under which a layer is drawn as absent, m")
	p.BoolVar(&o.Edges, "edges", false, "draw the edges of the mesh")
	p.IntVar(&o.Width, "width", o.Width, "width of the pictures in pixels")
	return c
}

// Package plot draws the results of runs, and meshes: maps of cell fields, slices, surfaces, partitions, histograms,
// and series over time. Its folders hold what pictures are made of: charts from plain numbers, figures and their
// formats, and colours.
package plot

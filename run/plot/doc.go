// Package plot draws the results of runs, and meshes. Run draws the contents of an output folder: maps of cell fields,
// slices, surfaces, partitions, histograms, and curves over time. Compare draws several runs together, Meshes draws
// mesh files. Options select what is drawn and how.
//
// Subpackages have the building blocks: chart draws plots from plain numbers, figure writes file formats, palette has
// colours.
package plot

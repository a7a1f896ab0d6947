// Package netcdf reads and writes NetCDF files of the classic formats: CDF-1, CDF-2 with offsets of 64 bits, and CDF-5
// with counts of 64 bits. Files of NetCDF-4 are HDF5, and are refused with the command that converts them.
//
// Variables with the record dimension lie together, record by record, behind all others, so that a file grows by
// writing at its end, and readers find the records that its head counts.
//
// Source: the NetCDF classic format specification of Unidata, and that of CDF-5 by the PnetCDF project.
package netcdf

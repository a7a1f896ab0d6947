// Package netcdf reads and writes NetCDF files of the classic formats: CDF-1, CDF-2 with offsets of 64 bits, and CDF-5
// with counts of 64 bits. It also reads the root group of NetCDF-4 files, which are HDF5 (formats/hdf5).
//
// Open returns a File, which has the Header (dimensions, attributes, variables) and reads values of variables. To write
// a file, Define makes a Header, which returns its encoding and the offsets at which callers write values.
//
// The values of variables with the record dimension are stored after all other variables, record by record. So a file
// grows by writing at its end; its header has the number of complete records.
//
// Source: the NetCDF classic format specification of Unidata, and that of CDF-5 by the PnetCDF project.
package netcdf

// Package geotiff reads and writes rasters of one band in GeoTIFF and BigTIFF files. Open returns a File, whose Read
// returns the values in a Window of the raster; Write writes an Image.
//
// It reads strips and tiles of integers of 8 to 64 bits and of floating-point numbers of 32 and 64 bits, in either byte
// order, uncompressed or compressed by LZW, Deflate, Zstandard or PackBits, with any predictor. Read reads only the
// blocks (strips or tiles) that overlap the window. For other files it returns an error with a command that converts
// them.
//
// Sources: TIFF Revision 6.0 (Adobe, 1992), Technical Note 3 on predictors (2005), the BigTIFF design (2004), and OGC
// 19-008r4, GeoTIFF 1.1. Tags 42112 and 42113 are defined by GDAL.
package geotiff

// Package geotiff reads and writes rasters of one band in GeoTIFF and BigTIFF files.
//
// Read are strips and tiles of integers of 8 to 64 bits and of floating-point numbers of 32 and 64, in either byte
// order, as they are or packed by LZW, Deflate, Zstandard or PackBits, with any predictor. Of a file only the blocks
// are read that hold what is asked for. What is not read is refused with the command that converts it.
//
// Sources: TIFF Revision 6.0 (Adobe, 1992), Technical Note 3 on predictors (2005), the BigTIFF design (2004), and OGC
// 19-008r4, GeoTIFF 1.1; tags 42112 and 42113 are GDAL's.
package geotiff

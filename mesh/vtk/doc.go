// Package vtk reads and writes the XML files of the Visualization Toolkit:
//
//   - .vtu, an unstructured grid (Read, Write; ReadMesh and WriteMesh for a triangle mesh),
//   - .vti, a uniform grid (ReadImage, WriteImage),
//   - .vtp, points, lines and polygons (ReadPolyData, WritePolyData),
//   - .pvtu, .pvti and .pvtp, the indices of data that are written in pieces, one file a rank (read like the data;
//     WritePVTU, WritePVTI, WritePVTP),
//   - .pvd, a series of such files over time (ReadPVD, Collection).
//
// WriteSTL writes polygons for programs that know no XML.
//
// The format is that of "VTK XML Formats" (https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html).
// The reader takes arrays as ascii, binary and appended data (raw or base64), either byte order, headers of 32 and
// 64 bits, plain or compressed by zlib. The writer emits one of these: appended raw data, little endian, 64-bit
// headers, zlib blocks.
//
// No length that a file declares is trusted: every one is held against the bytes that are there before memory is
// taken for it, and the memory that all arrays together may take is bounded by what deflate can expand the file to.
// Errors name the file and the element or the byte offset.
package vtk

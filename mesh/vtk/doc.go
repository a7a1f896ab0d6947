// Package vtk reads and writes the XML files of the Visualization Toolkit:
//
//   - .vtu, an unstructured grid (Read, Write; ReadMesh and WriteMesh for a triangle mesh),
//   - .vti, a uniform grid (ReadImage, WriteImage),
//   - .vtp, points, lines and polygons (ReadPolyData, WritePolyData),
//   - .pvtu, .pvti and .pvtp, indices of data in several files, one a rank (read by the same functions as the data;
//     WritePVTU, WritePVTI, WritePVTP),
//   - .pvd, a series of such files over time (ReadPVD, Collection).
//
// WriteSTL writes polygons in the format STL, for programs that do not read VTK files. FilePart lets several ranks
// write one file.
//
// The format is that of "VTK XML Formats" (https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html).
// The reader takes arrays as ascii, binary and appended data (raw or base64), either byte order, headers of 32 and
// 64 bits, plain or compressed by zlib. The writer emits one of these: appended raw data, little endian, 64-bit
// headers, zlib blocks.
//
// No length in a file is trusted: each is compared with the bytes of the file before memory is allocated, and the
// memory of all arrays together is bounded by the largest size to which deflate can expand the file.
// Errors name the file and the element or the byte offset.
package vtk

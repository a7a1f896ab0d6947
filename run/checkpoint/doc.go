// Package checkpoint writes and reads checkpoints: the state of a run in one file, which all ranks write in parallel
// and any number of ranks can read. A Writer writes a file, a File reads one; List and Prune manage the files of a run.
//
// A file consists of
//
//	header   magic "ATOLLCKP", format, 4 zero bytes
//	blobs    for each block of entities: its keys, then the numbers of each field
//	index    JSON: metadata of the run (Info), spaces and their fields, blocks and the offsets of their blobs
//	footer   offset, length and CRC-32C of the index, format, magic "ATOLLEND"
//
// All numbers are little-endian, and offsets have 64 bits. Each blob has a CRC-32C in the index, so every byte of the
// file is checked. A block holds up to 4 MiB of numbers of entities of one rank; keys are stored as runs of successive
// keys. The file appears under its name only when all of it is on disk.
package checkpoint

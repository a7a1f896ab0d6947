// Package checkpoint writes and reads the state of a run: one file, written by all ranks at once, which any number of
// ranks can read.
//
// A file is
//
//	header   magic "ATOLLCKP", format, 4 zero bytes
//	blobs    one after the other: of each block of entities its keys, and the numbers of each field
//	index    JSON: what the file tells (Info), spaces and their fields, blocks and where their blobs are
//	footer   where the index begins, its length and CRC-32C, format, magic "ATOLLEND"
//
// with all numbers little-endian, offsets of 64 bits, and a CRC-32C of each blob. There is no byte that nothing checks.
// A block holds up to 4 MiB of numbers of entities that one rank had; keys are written as runs of successive ones. A
// file appears under its name when all of it is on the disk.
package checkpoint

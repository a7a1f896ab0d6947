package abi

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Machine code spares a GPU's driver the compilation of PTX, which it does when a kernel first runs on a machine. It is
// for the GPUs of one generation, of the named capability and newer ones, and does what the PTX does. An archive holds
// that of several, in files sm_80, sm_90, and so on; its comment is the first line of the PTX, with which both were
// compiled from one source.

// PackMachine makes an archive of machine code, by the names of its GPUs, that goes with PTX.
func PackMachine(ptx string, code map[string]string) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	if err := w.SetComment(firstLine(ptx)); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(code))
	for name := range code {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		file, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(file, code[name]); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// MachineOf tells for which GPUs an archive has machine code that goes with PTX; for none if it goes with another one.
func MachineOf(ptx, archive string) (names []string, err error) {
	if archive == "" {
		return nil, nil
	}
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil || r.Comment != firstLine(ptx) {
		return nil, err
	}
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	return names, nil
}

// MachineFor is the machine code of the module for a GPU of a compute capability; nil where there is none.
func (m *Module) MachineFor(major, minor int) ([]byte, error) {
	names, err := MachineOf(m.PTX, m.Machine)
	if err != nil {
		return nil, err
	}
	best, least := "", -1
	for _, name := range names {
		var of int
		if _, err := fmt.Sscanf(name, "sm_%d", &of); err != nil {
			continue
		}
		if of/10 == major && of%10 <= minor && of > least {
			best, least = name, of
		}
	}
	if best == "" {
		return nil, nil
	}
	r, err := zip.NewReader(strings.NewReader(m.Machine), int64(len(m.Machine)))
	if err != nil {
		return nil, err
	}
	file, err := r.Open(best)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

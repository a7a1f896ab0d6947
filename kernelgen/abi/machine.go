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

// With machine code the GPU's driver need not compile PTX when a kernel first runs on a machine. Machine code for sm_80
// runs on GPUs of compute capability 8.0 and newer ones of the same major version. An archive is a zip file with files
// sm_80, sm_90 and so on; its comment is the first line of the PTX that was compiled from the same source.

// PackMachine makes an archive of machine code for the given PTX. The keys of code are names such as sm_80.
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

// ArchivedGPUs returns the names of the GPUs in an archive, or nil if the archive was made for other PTX.
func ArchivedGPUs(ptx, archive string) (names []string, err error) {
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

// MachineFor returns the module's machine code for a GPU of compute capability major.minor, or nil if it has none.
func (m *Module) MachineFor(major, minor int) ([]byte, error) {
	names, err := ArchivedGPUs(m.PTX, m.Machine)
	if err != nil {
		return nil, err
	}
	best, bestCapability := "", -1
	for _, name := range names {
		var capability int
		if _, err := fmt.Sscanf(name, "sm_%d", &capability); err != nil {
			continue
		}
		if capability/10 == major && capability%10 <= minor && capability > bestCapability {
			best, bestCapability = name, capability
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

package abi

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// An archive is a zip file with the PTX of a module and machine code made from the same source: with machine code the
// GPU's driver need not compile PTX when a kernel first runs on a machine. Machine code for sm_80 runs on GPUs of
// compute capability 8.0 and newer ones of the same major version. The files are ptx, sm_80, sm_90 and so on,
// compressed by zstd, which makes them two thirds as large as deflate does. The comment is the first line of the PTX.

// archivedPTX is the name of the PTX in an archive.
const archivedPTX = "ptx"

// Pack makes an archive of PTX and machine code, which may be nil. The keys of code are names such as sm_80.
func Pack(ptx string, code map[string]string) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20)))
	if err := w.SetComment(firstLine(ptx)); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(code))
	for name := range code {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range append([]string{archivedPTX}, names...) {
		text := code[name]
		if name == archivedPTX {
			text = ptx
		}
		file, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zstd.ZipMethodWinZip})
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(file, text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func openArchive(archive string) (*zip.Reader, error) {
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	r.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1)))
	return r, nil
}

// ArchivedGPUs returns the names of the GPUs in an archive. The error says that it is damaged or of other PTX.
func ArchivedGPUs(ptx, archive string) (names []string, err error) {
	r, err := openArchive(archive)
	if err != nil {
		return nil, err
	}
	if r.Comment != firstLine(ptx) {
		return nil, fmt.Errorf("made of other PTX, which begins with %q", r.Comment)
	}
	for _, f := range r.File {
		if f.Name != archivedPTX {
			names = append(names, f.Name)
		}
	}
	return names, nil
}

// PTX returns the PTX of all kernels, which begins with a line with the hash of their source.
func (m *Module) PTX() (string, error) {
	r, err := openArchive(m.Archive)
	if err != nil {
		return "", err
	}
	text, err := unpack(r, archivedPTX)
	return string(text), err
}

// MachineFor returns the module's machine code for a GPU of compute capability major.minor, or nil if it has none.
func (m *Module) MachineFor(major, minor int) ([]byte, error) {
	r, err := openArchive(m.Archive)
	if err != nil {
		return nil, err
	}
	best, bestCapability := "", -1
	for _, f := range r.File {
		var capability int
		if _, err := fmt.Sscanf(f.Name, "sm_%d", &capability); err != nil {
			continue
		}
		if capability/10 == major && capability%10 <= minor && capability > bestCapability {
			best, bestCapability = f.Name, capability
		}
	}
	if best == "" {
		return nil, nil
	}
	return unpack(r, best)
}

// unpack returns a file of an archive.
func unpack(r *zip.Reader, name string) ([]byte, error) {
	i := slices.IndexFunc(r.File, func(f *zip.File) bool { return f.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no %s in the archive", name)
	}
	file, err := r.File[i].Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data := bytes.NewBuffer(make([]byte, 0, r.File[i].UncompressedSize64+bytes.MinRead))
	_, err = data.ReadFrom(file)
	return data.Bytes(), err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

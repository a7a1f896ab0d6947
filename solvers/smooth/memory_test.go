package smooth

import (
	"errors"
	"unsafe"
)

// memory is that of a device: slices of the host, which only its calls copy from and to.
type memory struct{ given map[unsafe.Pointer][]float64 }

func newMemory() *memory { return &memory{map[unsafe.Pointer][]float64{}} }

func (m *memory) Alloc(n int) (unsafe.Pointer, error) {
	b := make([]float64, n/8+1)
	p := unsafe.Pointer(&b[0])
	m.given[p] = b
	return p, nil
}

func (m *memory) Free(p unsafe.Pointer) error {
	if m.given[p] == nil {
		return errors.New("not given")
	}
	delete(m.given, p)
	return nil
}

func (m *memory) copy(dst, src unsafe.Pointer, n int) error {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	return nil
}

func (m *memory) Upload(dst, src unsafe.Pointer, n int) error   { return m.copy(dst, src, n) }
func (m *memory) Download(dst, src unsafe.Pointer, n int) error { return m.copy(dst, src, n) }
func (m *memory) Move(dst, src unsafe.Pointer, n int) error     { return m.copy(dst, src, n) }
func (m *memory) Sync() error                                   { return nil }

package primitives

import (
	"fmt"
	"unsafe"
)

// Gather copies src[index[i]] to dst[i]. An index outside src is a programmer's mistake, which a GPU does not
// notice: CheckIndex tells once, when the index is made. dst and src do not overlap.
func Gather[T any](w *Workspace, dst, src []T, index []int32) error {
	if err := checkSame("gather", len(dst), len(index)); err != nil {
		return err
	}
	if w.accel != nil && size[T]() > 0 {
		return w.accel.Gather(at(dst), at(src), at(index), size[T](), len(index))
	}
	l := keep[gatherLoop[T]](w)
	l.dst, l.src, l.index = dst, src, index
	w.dev.Run(l, 0, len(index))
	*l = gatherLoop[T]{}
	return nil
}

type gatherLoop[T any] struct {
	dst, src []T
	index    []int32
}

func (l *gatherLoop[T]) Range(lo, hi int) {
	dst := l.dst[lo:hi]
	for i, from := range l.index[lo:hi] {
		dst[i] = l.src[from]
	}
}

// Scatter copies src[i] to dst[index[i]]. No index may come twice, and none may lie outside dst: see [Gather].
func Scatter[T any](w *Workspace, dst, src []T, index []int32) error {
	if err := checkSame("scatter", len(src), len(index)); err != nil {
		return err
	}
	if w.accel != nil && size[T]() > 0 {
		return w.accel.Scatter(at(dst), at(src), at(index), size[T](), len(index))
	}
	l := keep[scatterLoop[T]](w)
	l.dst, l.src, l.index = dst, src, index
	w.dev.Run(l, 0, len(index))
	*l = scatterLoop[T]{}
	return nil
}

type scatterLoop[T any] struct {
	dst, src []T
	index    []int32
}

func (l *scatterLoop[T]) Range(lo, hi int) {
	src := l.src[lo:hi]
	for i, to := range l.index[lo:hi] {
		l.dst[to] = src[i]
	}
}

// Pack copies the elements of src that index names to the front of buf, byte after byte, and returns the rest of buf:
// the fields of a message follow each other.
func Pack[T any](w *Workspace, buf []byte, src []T, index []int32) ([]byte, error) {
	n := len(index) * size[T]()
	if n > len(buf) {
		return nil, fmt.Errorf("pack: %d bytes for a buffer of %d", n, len(buf))
	}
	if w.accel != nil && n > 0 {
		if err := checkLength("pack", len(index)); err != nil {
			return nil, err
		}
		return buf[n:], w.accel.Gather(at(buf), at(src), at(index), size[T](), len(index))
	}
	l := keep[packLoop[T]](w)
	l.buf, l.src, l.index = buf[:n], src, index
	w.dev.Run(l, 0, len(index))
	*l = packLoop[T]{}
	return buf[n:], nil
}

type packLoop[T any] struct {
	buf   []byte
	src   []T
	index []int32
}

func (l *packLoop[T]) Range(lo, hi int) {
	each := size[T]()
	for i, from := range l.index[lo:hi] {
		copy(l.buf[(lo+i)*each:], raw(&l.src[from]))
	}
}

// Unpack copies elements from the front of buf to those of dst that index names, and returns the rest of buf.
func Unpack[T any](w *Workspace, dst []T, index []int32, buf []byte) ([]byte, error) {
	n := len(index) * size[T]()
	if n > len(buf) {
		return nil, fmt.Errorf("unpack: %d bytes from a buffer of %d", n, len(buf))
	}
	if w.accel != nil && n > 0 {
		if err := checkLength("unpack", len(index)); err != nil {
			return nil, err
		}
		return buf[n:], w.accel.Scatter(at(dst), at(buf), at(index), size[T](), len(index))
	}
	l := keep[unpackLoop[T]](w)
	l.dst, l.index, l.buf = dst, index, buf[:n]
	w.dev.Run(l, 0, len(index))
	*l = unpackLoop[T]{}
	return buf[n:], nil
}

type unpackLoop[T any] struct {
	dst   []T
	index []int32
	buf   []byte
}

func (l *unpackLoop[T]) Range(lo, hi int) {
	each := size[T]()
	for i, to := range l.index[lo:hi] {
		copy(raw(&l.dst[to]), l.buf[(lo+i)*each:])
	}
}

// raw is the memory of a value.
func raw[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), size[T]()) }

// CheckIndex refuses an index that leads outside [0, n).
func CheckIndex(w *Workspace, index []int32, n int) error {
	if len(index) == 0 {
		return nil
	}
	// A negative index, taken as unsigned, is greater than any valid one.
	greatest, err := Max(w, unsafe.Slice((*uint32)(at(index)), len(index)))
	if err != nil {
		return err
	}
	if int64(greatest) >= int64(n) {
		return fmt.Errorf("index %d is not in [0, %d)", int32(greatest), n)
	}
	return nil
}

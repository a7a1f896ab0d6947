package primitives

import (
	"fmt"
	"unsafe"
)

// Gather copies src[index[i]] to dst[i]. An index outside of src is a programming error that a GPU does not detect:
// call CheckIndex once when the index is made. dst and src do not overlap.
func Gather[T any](w *Workspace, dst, src []T, index []int32) error {
	if err := checkEqualLengths("gather", len(dst), len(index)); err != nil {
		return err
	}
	if w.accel != nil && sizeOf[T]() > 0 {
		return w.accel.Gather(addressOf(dst), addressOf(src), addressOf(index), sizeOf[T](), len(index))
	}
	l := valueOf[gatherLoop[T]](w)
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

// Scatter copies src[i] to dst[index[i]]. The indices must be distinct and lie in dst: see [Gather].
func Scatter[T any](w *Workspace, dst, src []T, index []int32) error {
	if err := checkEqualLengths("scatter", len(src), len(index)); err != nil {
		return err
	}
	if w.accel != nil && sizeOf[T]() > 0 {
		return w.accel.Scatter(addressOf(dst), addressOf(src), addressOf(index), sizeOf[T](), len(index))
	}
	l := valueOf[scatterLoop[T]](w)
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

// Pack copies the elements src[index[i]] to the front of buf, without padding, and returns the rest of buf, where the
// next field of a message can be packed.
func Pack[T any](w *Workspace, buf []byte, src []T, index []int32) ([]byte, error) {
	n := len(index) * sizeOf[T]()
	if n > len(buf) {
		return nil, fmt.Errorf("pack: %d bytes do not fit into a buffer of %d", n, len(buf))
	}
	if w.accel != nil && n > 0 {
		if err := checkLength("pack", len(index)); err != nil {
			return nil, err
		}
		return buf[n:], w.accel.Gather(addressOf(buf), addressOf(src), addressOf(index), sizeOf[T](), len(index))
	}
	l := valueOf[packLoop[T]](w)
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
	size := sizeOf[T]()
	for i, from := range l.index[lo:hi] {
		copy(l.buf[(lo+i)*size:], bytesOf(&l.src[from]))
	}
}

// Unpack copies elements from the front of buf to dst[index[i]], and returns the rest of buf.
func Unpack[T any](w *Workspace, dst []T, index []int32, buf []byte) ([]byte, error) {
	n := len(index) * sizeOf[T]()
	if n > len(buf) {
		return nil, fmt.Errorf("unpack: %d bytes wanted from a buffer of %d", n, len(buf))
	}
	if w.accel != nil && n > 0 {
		if err := checkLength("unpack", len(index)); err != nil {
			return nil, err
		}
		return buf[n:], w.accel.Scatter(addressOf(dst), addressOf(buf), addressOf(index), sizeOf[T](), len(index))
	}
	l := valueOf[unpackLoop[T]](w)
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
	size := sizeOf[T]()
	for i, to := range l.index[lo:hi] {
		copy(bytesOf(&l.dst[to]), l.buf[(lo+i)*size:])
	}
}

// bytesOf returns the bytes of *v.
func bytesOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), sizeOf[T]()) }

// CheckIndex returns an error if an element of index lies outside of [0, n).
func CheckIndex(w *Workspace, index []int32, n int) error {
	if len(index) == 0 {
		return nil
	}
	// A negative index, taken as unsigned, is greater than any valid one.
	greatest, err := Max(w, unsafe.Slice((*uint32)(addressOf(index)), len(index)))
	if err != nil {
		return err
	}
	if int64(greatest) >= int64(n) {
		return fmt.Errorf("index %d is not in [0, %d)", int32(greatest), n)
	}
	return nil
}

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
		return w.accel.Gather(addressOf(dst), addressOf(src), addressOf(index), sizeOf[T](), sizeOf[T](), len(index))
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
		return w.accel.Scatter(addressOf(dst), addressOf(src), addressOf(index), sizeOf[T](), sizeOf[T](), len(index))
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

// Pack copies element index[i] of src, whose elements have size bytes, to buf from byte i·pitch on: several arrays can
// be packed into elements of pitch bytes.
func Pack(w *Workspace, buf []byte, pitch int, src []byte, size int, index []int32) error {
	if err := checkPitch("pack", len(buf), pitch, size, len(index)); err != nil || len(index) == 0 {
		return err
	}
	if w.accel != nil {
		return w.accel.Gather(addressOf(buf), addressOf(src), addressOf(index), size, pitch, len(index))
	}
	l := valueOf[packLoop](w)
	*l = packLoop{buf, src, pitch, size, index}
	w.dev.Run(l, 0, len(index))
	*l = packLoop{}
	return nil
}

type packLoop struct {
	buf, src    []byte
	pitch, size int
	index       []int32
}

func (l *packLoop) Range(lo, hi int) {
	for i := lo; i < hi; i++ {
		from := int(l.index[i]) * l.size
		copy(l.buf[i*l.pitch:i*l.pitch+l.size], l.src[from:from+l.size])
	}
}

// Unpack is the inverse of Pack: it copies size bytes of buf from byte i·pitch on to element index[i] of dst.
func Unpack(w *Workspace, dst []byte, size int, index []int32, buf []byte, pitch int) error {
	if err := checkPitch("unpack", len(buf), pitch, size, len(index)); err != nil || len(index) == 0 {
		return err
	}
	if w.accel != nil {
		return w.accel.Scatter(addressOf(dst), addressOf(buf), addressOf(index), size, pitch, len(index))
	}
	l := valueOf[unpackLoop](w)
	*l = unpackLoop{dst, buf, pitch, size, index}
	w.dev.Run(l, 0, len(index))
	*l = unpackLoop{}
	return nil
}

type unpackLoop struct {
	dst, buf    []byte
	pitch, size int
	index       []int32
}

func (l *unpackLoop) Range(lo, hi int) {
	for i := lo; i < hi; i++ {
		to := int(l.index[i]) * l.size
		copy(l.dst[to:to+l.size], l.buf[i*l.pitch:i*l.pitch+l.size])
	}
}

// checkPitch returns an error if n elements of size bytes, which begin pitch bytes apart, are not within a buffer.
func checkPitch(what string, buffer, pitch, size, n int) error {
	if size < 1 || size > pitch || n > 0 && (n-1)*pitch+size > buffer {
		return fmt.Errorf("%s: %d elements of %d bytes, %d bytes apart, do not fit into a buffer of %d", what, n, size, pitch,
			buffer)
	}
	return checkLength(what, n)
}

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

// Package abi describes a kernel with its arguments to a device, without generics. A [Launcher] is a generated
// loop; its [Launch] has the [Module] with the kernel's code, the name of the entry (the function in the PTX that a
// launch starts), and the arguments, each an [Arg]. Parameters converts the arguments into the bytes of the entry's
// parameters, in the layout that package kernelgen defines. [Box] is the index space of kernels with two or three
// indices.
package abi

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// Module is the code of a package's kernels for GPUs.
type Module struct {
	Name    string
	Archive string // PTX, and machine code made from the same source: see Pack
}

// Remedy tells users without a CUDA C compiler how to get one.
const Remedy = "pip install nvidia-cuda-nvrtc-cu12==12.4.127, or set ATOLL_NVRTC to libnvrtc.so.12"

// uncompiled is the beginning of the line that replaces missing PTX.
const uncompiled = "// no PTX of "

// Uncompiled returns the line that replaces the PTX of a package generated without a compiler. path is its import path.
func Uncompiled(path string) string {
	return uncompiled + path + ", which was generated without NVRTC: " + Remedy + ", then go generate " + path
}

// Compiled returns an error if the module was generated without a compiler. The error says what to do.
func (m *Module) Compiled() error {
	r, err := openArchive(m.Archive)
	if err != nil {
		return fmt.Errorf("the kernels of %s: %w", m.Name, err)
	}
	return CompiledPTX(r.Comment)
}

// CompiledPTX returns an error if a text stands for missing PTX. The error says what to do.
func CompiledPTX(ptx string) error {
	if !strings.HasPrefix(ptx, uncompiled) {
		return nil
	}
	return errors.New(strings.TrimPrefix(firstLine(ptx), "// "))
}

// Launch is a kernel with its arguments.
type Launch struct {
	Module *Module
	Symbol string // the entry in the PTX
	Block  int    // threads of a block, all along the first index
	Box    *Box   // the index space of a kernel with 2 or 3 indices; nil for one index
	Dims   int    // number of indices, 1 to 3
	Tile   bool   // an index is computed by a block instead of a thread
	Shared int    // bytes of dynamic shared memory of a block
	Args   []Arg  // the arguments after the range of indices (lo, hi), which every entry takes first
}

// Launcher is a loop that a GPU can run.
type Launcher interface {
	Launch() Launch
}

// Kind says how an argument is passed to the device.
type Kind int

const (
	Value    Kind = iota // the bytes of a value without pointers
	Constant             // the bytes of a struct, with device addresses in its slices
	Pointer              // the device address of a struct
	Elements             // the header of a slice, with a device address
)

func (k Kind) String() string {
	return [...]string{"value", "constant", "pointer", "slice"}[k]
}

// Arg is an argument of a kernel on the host.
type Arg struct {
	Name   string
	Kind   Kind
	Data   unsafe.Pointer // the value, the struct, or the first element; nil for an empty slice
	Size   uintptr        // bytes at Data: of all elements for a slice
	Len    int            // elements of a slice
	Slices []SliceField   // the slices in a constant
}

// SliceField is a slice in a struct.
type SliceField struct {
	Name   string  // path from the struct, such as Cells or Levels[1].Cells
	Offset uintptr // of the header in the struct
	Elem   uintptr // bytes of an element
}

// ValueOf passes a number or a struct without slices.
func ValueOf[T any](name string, v *T) Arg {
	return Arg{Name: name, Kind: Value, Data: unsafe.Pointer(v), Size: unsafe.Sizeof(*v)}
}

// ConstantOf passes a struct that may hold slices.
func ConstantOf[T any](name string, v *T) Arg {
	return Arg{Name: name, Kind: Constant, Data: unsafe.Pointer(v), Size: unsafe.Sizeof(*v),
		Slices: sliceFields(reflect.TypeFor[T](), "", 0)}
}

// PointerTo passes the address of a struct without slices.
func PointerTo[T any](name string, v *T) Arg {
	return Arg{Name: name, Kind: Pointer, Data: unsafe.Pointer(v), Size: unsafe.Sizeof(*v)}
}

// ElementsOf passes a slice.
func ElementsOf[T any](name string, s []T) Arg {
	a := Arg{Name: name, Kind: Elements, Len: len(s)}
	if len(s) > 0 {
		a.Data, a.Size = unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(s[0])
	}
	return a
}

// sliceFields lists the slices in a type at an offset of a struct; name is the path to it.
func sliceFields(t reflect.Type, name string, offset uintptr) []SliceField {
	var fields []SliceField
	switch t.Kind() {
	case reflect.Slice:
		fields = append(fields, SliceField{strings.TrimPrefix(name, "."), offset, t.Elem().Size()})
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			fields = append(fields, sliceFields(f.Type, name+"."+f.Name, offset+f.Offset)...)
		}
	case reflect.Array:
		for i := range t.Len() {
			fields = append(fields, sliceFields(t.Elem(), fmt.Sprintf("%s[%d]", name, i), offset+uintptr(i)*t.Elem().Size())...)
		}
	}
	return fields
}

// Shared returns the bytes of shared memory of an array, rounded up to a multiple of 16, where the next array begins.
func Shared[T any]() int {
	var t T
	return int(unsafe.Sizeof(t)+15) / 16 * 16
}

// Suffix returns the ending of the names of entries in the precision F.
func Suffix[F float32 | float64]() string {
	if unsafe.Sizeof(F(0)) == 4 {
		return "_f32"
	}
	return "_f64"
}

// header is the layout of a slice in Go and in the CUDA C.
type header struct{ data, len, cap uint64 }

const headerSize = unsafe.Sizeof(header{})

// Parameters returns the bytes of each parameter after the range of indices (lo, hi), which every entry takes first,
// for cuLaunchKernel's array of pointers. The function device returns the device address of size bytes of the host's
// memory. It is not called for empty slices.
func (l Launch) Parameters(device func(host unsafe.Pointer, size uintptr) (uint64, error)) ([][]byte, error) {
	parameters := make([][]byte, len(l.Args))
	for i, a := range l.Args {
		bytes, err := a.parameter(device)
		if err != nil {
			return nil, fmt.Errorf("kernel %s, argument %s (%v): %w", l.Symbol, a.Name, a.Kind, err)
		}
		parameters[i] = bytes
	}
	return parameters, nil
}

// parameter returns the bytes of the parameter for an argument.
func (a Arg) parameter(device func(host unsafe.Pointer, size uintptr) (uint64, error)) ([]byte, error) {
	if a.Data == nil && a.Kind != Elements {
		return nil, fmt.Errorf("is nil")
	}
	switch a.Kind {
	case Pointer:
		address, err := device(a.Data, a.Size)
		return bytesOf(&address), err
	case Elements:
		h := header{len: uint64(a.Len), cap: uint64(a.Len)}
		if a.Len > 0 {
			var err error
			if h.data, err = device(a.Data, a.Size); err != nil {
				return nil, err
			}
		}
		return bytesOf(&h), nil
	}
	// An array of uint64, so that the bytes are aligned to 8.
	words := make([]uint64, (a.Size+7)/8)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), a.Size)
	copy(bytes, unsafe.Slice((*byte)(a.Data), a.Size))
	for _, s := range a.Slices {
		slice := *(*[]byte)(unsafe.Add(a.Data, s.Offset))
		h := header{len: uint64(len(slice)), cap: uint64(len(slice))}
		if len(slice) > 0 {
			var err error
			if h.data, err = device(unsafe.Pointer(unsafe.SliceData(slice)), uintptr(len(slice))*s.Elem); err != nil {
				return nil, fmt.Errorf("its %s: %w", s.Name, err)
			}
		}
		copy(bytes[s.Offset:s.Offset+headerSize], bytesOf(&h))
	}
	return bytes, nil
}

func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

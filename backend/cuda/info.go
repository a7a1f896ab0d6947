package cuda

import (
	"strings"
	"unsafe"
)

// Info describes a GPU.
type Info struct {
	Ordinal         int
	Name            string // such as "NVIDIA H200"
	Capability      [2]int // compute capability, major and minor
	Multiprocessors int
	Shared          int     // bytes of shared memory that a block may use
	Bus             string  // PCI bus id, such as 0000:18:00.0
	Driver          int     // newest CUDA version that the driver supports: 1000·major + 10·minor
	handle          uintptr // CUdevice
}

// Devices lists the GPUs of this machine. Without a driver or a GPU the error is one line that says so.
func Devices() ([]Info, error) {
	lib, err := driver()
	if err != nil {
		return nil, unavailable(err)
	}
	n, err := lib.count()
	if err != nil {
		return nil, unavailable(err)
	}
	gpus := make([]Info, n)
	for i := range gpus {
		if gpus[i], err = lib.info(i); err != nil {
			return nil, err
		}
	}
	return gpus, nil
}

func (l *library) count() (int, error) {
	var n int32
	if err := l.call(cuDeviceGetCount, uintptr(unsafe.Pointer(&n))); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, &Error{Call: cuDeviceGetCount.String(), Code: codeNoDevice}
	}
	return int(n), nil
}

// Attributes of CUdevice_attribute.
const (
	attributeMultiprocessors = 16
	attributeMajor           = 75
	attributeMinor           = 76
	attributeShared          = 97 // largest shared memory of a block, opt-in
)

func (l *library) info(ordinal int) (Info, error) {
	i := Info{Ordinal: ordinal}
	var device, major, minor, processors, shared, version int32
	if err := l.call(cuDeviceGet, uintptr(unsafe.Pointer(&device)), uintptr(ordinal)); err != nil {
		return i, err
	}
	i.handle = uintptr(device)
	var name [256]byte
	if err := l.call(cuDeviceGetName, uintptr(unsafe.Pointer(&name)), uintptr(len(name)-1), i.handle); err != nil {
		return i, err
	}
	i.Name, _, _ = strings.Cut(string(name[:]), "\x00")
	var bus [64]byte
	if err := l.call(cuDeviceGetPCIBusID, uintptr(unsafe.Pointer(&bus)), uintptr(len(bus)-1), i.handle); err != nil {
		return i, err
	}
	i.Bus, _, _ = strings.Cut(string(bus[:]), "\x00")
	for _, a := range []struct {
		dst       *int32
		attribute uintptr
	}{{&major, attributeMajor}, {&minor, attributeMinor}, {&processors, attributeMultiprocessors},
		{&shared, attributeShared}} {
		if err := l.call(cuDeviceGetAttribute, uintptr(unsafe.Pointer(a.dst)), a.attribute, i.handle); err != nil {
			return i, err
		}
	}
	if err := l.call(cuDriverGetVersion, uintptr(unsafe.Pointer(&version))); err != nil {
		return i, err
	}
	i.Capability, i.Driver = [2]int{int(major), int(minor)}, int(version)
	i.Multiprocessors, i.Shared = int(processors), int(shared)
	return i, nil
}

package cuda

import (
	"fmt"
	"strings"
	"unsafe"
)

// Module is PTX, of which the driver compiles each kernel for the device when it is first asked for: of many kernels,
// in all their variants and precisions, a run uses few.
type Module struct {
	d      *Device
	name   string
	texts  kernelTexts
	loaded map[string]uintptr // by the kernel, or "" for all
}

// Options of CUjit_option.
const (
	jitInfoLog = 3 + iota
	jitInfoLogSize
	jitErrorLog
	jitErrorLogSize
)

// Load takes PTX, which is compiled kernel by kernel: see [Module.Function]. The module lives until the device is
// closed.
func (d *Device) Load(name, ptx string) (*Module, error) {
	if d.err != nil {
		return nil, d.err
	}
	if strings.IndexByte(ptx, 0) >= 0 {
		return nil, fmt.Errorf("cuda: module %s: the PTX holds a zero byte", name)
	}
	if need, have := demanded(ptx), 10*d.info.Capability[0]+d.info.Capability[1]; need > have {
		return nil, fmt.Errorf("cuda: the kernels of module %s need a GPU of compute capability %d.%d; %s has %d.%d", name,
			need/10, need%10, d.info.Name, have/10, have%10)
	}
	return &Module{d: d, name: name, texts: split(ptx), loaded: map[string]uintptr{}}, nil
}

// compile gives the driver PTX of a kernel, or of all. An error holds the compiler's log.
func (m *Module) compile(kernel, ptx string) (handle uintptr, err error) {
	image := append([]byte(ptx), 0)
	info, failed := make([]byte, 1<<14), make([]byte, 1<<14)
	options := [...]int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize}
	values := [...]uintptr{address(info), uintptr(len(info)), address(failed), uintptr(len(failed))}
	err = m.d.do(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	if err != nil {
		log, _, _ := strings.Cut(string(failed), "\x00")
		note, _, _ := strings.Cut(string(info), "\x00")
		if e, ok := err.(*Error); ok {
			e.Log = strings.TrimSpace(log + "\n" + note)
		}
		return 0, about(err, "kernel "+kernel+" of module "+m.name)
	}
	m.d.modules = append(m.d.modules, handle)
	return handle, nil
}

// demanded is the compute capability that PTX asks for, 10·major + minor, or 0 if it does not say.
func demanded(ptx string) int {
	_, rest, _ := strings.Cut(ptx, "\n.target sm_")
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' || n > 1000 {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// address is where a buffer on the heap begins. The caller holds the buffer as long as the address is in use.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// Function is a kernel of a module.
type Function struct {
	d      *Device
	handle uintptr
	name   string
	params []int // the bytes of each parameter
	shared int   // bytes that a block asks for
}

// Function finds a kernel by its symbol. The first time its PTX is compiled, which the driver's cache on the disk
// spares later runs; an error then holds the compiler's log.
func (m *Module) Function(symbol string) (*Function, error) {
	if m.d.err != nil {
		return nil, m.d.err
	}
	key := symbol
	text, apart := m.texts.kernels[symbol]
	if text = m.texts.head + text; !apart {
		key, text = "", m.texts.whole
	}
	params := paramSizes(text, symbol)
	module, known := m.loaded[key]
	if !known {
		if text == "" {
			return nil, fmt.Errorf("cuda: there is no kernel %s of module %s", symbol, m.name)
		}
		var err error
		if module, err = m.compile(symbol, text); err != nil {
			return nil, err
		}
		m.loaded[key] = module
	}
	f := &Function{d: m.d, name: symbol, params: params}
	name := append([]byte(symbol), 0)
	if err := m.d.do(cuModuleGetFunction, uintptr(unsafe.Pointer(&f.handle)), module,
		uintptr(unsafe.Pointer(&name[0]))); err != nil {
		return nil, about(err, "kernel "+symbol+" of module "+m.name)
	}
	return f, nil
}

// Registers is how many registers a thread uses, and Local how many bytes of memory beside them.
func (f *Function) Registers() (int, error) { return f.attribute(4) }
func (f *Function) Local() (int, error)     { return f.attribute(3) }

// share makes each block ask for so many bytes of shared memory.
func (f *Function) share(bytes int) error {
	f.shared = bytes
	const mostShared = 8 // of CUfunction_attribute
	return about(f.d.do(cuFuncSetAttribute, f.handle, mostShared, uintptr(bytes)), "kernel "+f.name)
}

func (f *Function) attribute(which uintptr) (int, error) {
	var v int32
	if err := f.d.do(cuFuncGetAttribute, uintptr(unsafe.Pointer(&v)), which, f.handle); err != nil {
		return 0, about(err, "kernel "+f.name)
	}
	return int(v), nil
}

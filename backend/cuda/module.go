package cuda

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend/cuda/internal/ptx"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// Module is the PTX of a package's kernels. The driver compiles each kernel for the device at its first use, since a
// run uses only a few of the kernels and their variants. If the package has machine code for the device, that is loaded
// instead.
type Module struct {
	d       *Device
	name    string
	machine []byte // machine code of all kernels, or nil
	texts   ptx.Texts
	loaded  map[string]uintptr // the driver's module of each kernel; key "" for the module of all kernels
}

// loadCompiled makes a module of PTX and machine code. With CUDA_FORCE_PTX_JIT=1 it ignores the machine code, as the
// driver does.
func (d *Device) loadCompiled(module *abi.Module) (*Module, error) {
	if err := module.Compiled(); err != nil {
		return nil, err
	}
	text, err := module.PTX()
	if err != nil {
		return nil, fmt.Errorf("PTX of module %s: %w", module.Name, err)
	}
	m, err := d.Load(module.Name, text)
	if err != nil || os.Getenv("CUDA_FORCE_PTX_JIT") == "1" {
		return m, err
	}
	m.machine, err = module.MachineFor(d.info.Capability[0], d.info.Capability[1])
	if err != nil {
		return nil, fmt.Errorf("machine code of module %s: %w", module.Name, err)
	}
	return m, nil
}

// Options of CUjit_option.
const (
	jitInfoLog = 3 + iota
	jitInfoLogSize
	jitErrorLog
	jitErrorLogSize
)

// Load makes a module of PTX. Its kernels are compiled one by one, by [Module.Function]. The module exists until the
// device is closed.
func (d *Device) Load(name, text string) (*Module, error) {
	if d.err != nil {
		return nil, d.err
	}
	if strings.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("cuda: module %s: the PTX contains a zero byte", name)
	}
	available := 10*d.info.Capability[0] + d.info.Capability[1]
	if required := requiredCapability(text); required > available {
		return nil, fmt.Errorf("cuda: the kernels of module %s need a GPU of compute capability %d.%d; %s has %d.%d", name,
			required/10, required%10, d.info.Name, available/10, available%10)
	}
	return &Module{d: d, name: name, texts: ptx.Split(text), loaded: map[string]uintptr{}}, nil
}

// compile loads PTX of one kernel or of all, or machine code, into the driver. An error has the compiler's log.
func (m *Module) compile(kernel string, image []byte) (handle uintptr, err error) {
	infoLog, errorLog := make([]byte, 1<<14), make([]byte, 1<<14) // longer messages are cut off
	options := [...]int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize}
	values := [...]uintptr{address(infoLog), uintptr(len(infoLog)), address(errorLog), uintptr(len(errorLog))}
	err = m.d.call(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	if err != nil {
		errorText, _, _ := strings.Cut(string(errorLog), "\x00")
		infoText, _, _ := strings.Cut(string(infoLog), "\x00")
		if e, ok := err.(*Error); ok {
			e.Log = strings.TrimSpace(errorText + "\n" + infoText)
		}
		return 0, withSubject(err, "kernel "+kernel+" of module "+m.name)
	}
	m.d.modules = append(m.d.modules, handle)
	return handle, nil
}

// requiredCapability returns the compute capability that PTX requires, as 10·major + minor, or 0 if it has no .target.
func requiredCapability(ptx string) int {
	_, target, _ := strings.Cut(ptx, "\n.target sm_")
	n := 0
	for _, c := range target {
		if c < '0' || c > '9' || n > 1000 {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// address returns the address of a buffer on the heap. The caller must keep the buffer alive while the address is used.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// Function is a kernel of a module.
type Function struct {
	d      *Device
	handle uintptr
	name   string
	params []int // bytes of each parameter
	shared int   // bytes of dynamic shared memory of a block
}

// Function returns a kernel by its symbol. At the first use the driver compiles its PTX, or takes the result from its
// disk cache. The error of a compilation has the compiler's log.
func (m *Module) Function(symbol string) (*Function, error) {
	if m.d.err != nil {
		return nil, m.d.err
	}
	module, err := m.handleOf(symbol)
	if err != nil {
		return nil, err
	}
	_, text := m.text(symbol)
	f := &Function{d: m.d, name: symbol, params: ptx.ParamSizes(text, symbol)}
	name := append([]byte(symbol), 0)
	if err := m.d.call(cuModuleGetFunction, uintptr(unsafe.Pointer(&f.handle)), module,
		uintptr(unsafe.Pointer(&name[0]))); err != nil {
		return nil, withSubject(err, "kernel "+symbol+" of module "+m.name)
	}
	return f, nil
}

// handleOf returns the driver's handle of the module with a kernel. It loads the module if necessary.
func (m *Module) handleOf(symbol string) (uintptr, error) {
	if m.machine != nil {
		if module, known := m.loaded[""]; known {
			return module, nil
		}
		if module, err := m.compile(symbol, m.machine); err == nil {
			m.loaded[""] = module
			return module, nil
		}
		m.machine = nil // an old driver may refuse machine code of a newer format, but can compile PTX
	}
	key, text := m.text(symbol)
	module, known := m.loaded[key]
	if known {
		return module, nil
	}
	if text == "" {
		return 0, fmt.Errorf("cuda: there is no kernel %s of module %s", symbol, m.name)
	}
	module, err := m.compile(symbol, append([]byte(text), 0))
	if err == nil {
		m.loaded[key] = module
	}
	return module, err
}

// Values of CUfunction_attribute.
const (
	localSize        = 3
	numRegisters     = 4
	maxDynamicShared = 8
)

// Registers returns the number of registers of a thread.
func (f *Function) Registers() (int, error) { return f.attribute(numRegisters) }

// Local returns the bytes of local memory of a thread, which holds spilled registers and arrays.
func (f *Function) Local() (int, error) { return f.attribute(localSize) }

// setSharedMemory sets the bytes of dynamic shared memory of a block.
func (f *Function) setSharedMemory(bytes int) error {
	f.shared = bytes
	return withSubject(f.d.call(cuFuncSetAttribute, f.handle, maxDynamicShared, uintptr(bytes)), "kernel "+f.name)
}

func (f *Function) attribute(attribute uintptr) (int, error) {
	var v int32
	if err := f.d.call(cuFuncGetAttribute, uintptr(unsafe.Pointer(&v)), attribute, f.handle); err != nil {
		return 0, withSubject(err, "kernel "+f.name)
	}
	return int(v), nil
}

// text returns the PTX that a kernel is compiled from, and its key in loaded.
func (m *Module) text(symbol string) (key, text string) {
	if text, found := m.texts.Kernels[symbol]; found { // the kernel can be compiled without the others
		return symbol, m.texts.Head + text
	}
	return "", m.texts.Whole
}

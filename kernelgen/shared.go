package kernelgen

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// maxStaticShared is the most bytes of static shared memory that a kernel may have, on any GPU.
const maxStaticShared = 48 << 10

// dynamicShared are the macros for shared memory whose size the launch gives.
const dynamicShared = `
#ifndef SHARED_MEMORY
#define SHARED_MEMORY(name, bytes) extern __shared__ __align__(16) uint8 name[]
#define SHARED_PART(name, offset, ...) __VA_ARGS__ &name = *(__VA_ARGS__ *)(shared_memory + offset)
#endif
`

// sharedLayout is the layout of a block's shared memory: arrays one after the other, each at a multiple of 16 bytes.
type sharedLayout struct {
	names, types []string
	offsets      []int64
	bytes        int64
}

// add adds an array and returns its address.
func (s *sharedLayout) add(name, ctype string, size int64) string {
	s.names, s.types = append(s.names, name), append(s.types, ctype)
	s.offsets = append(s.offsets, s.bytes)
	s.bytes += (size + 15) / 16 * 16
	return "&" + name
}

// declarations writes the arrays as static variables, or as parts of dynamic shared memory.
func (s *sharedLayout) declarations(dynamic bool) string {
	var b strings.Builder
	if dynamic {
		fmt.Fprintf(&b, "    SHARED_MEMORY(shared_memory, %d);\n", s.bytes)
	}
	for i, name := range s.names {
		if dynamic {
			fmt.Fprintf(&b, "    SHARED_PART(%s, %d, %s);\n", name, s.offsets[i], s.types[i])
		} else {
			fmt.Fprintf(&b, "    SHARED(%s, %s);\n", name, s.types[i])
		}
	}
	return b.String()
}

// needsDynamicShared reports whether a kernel needs more than static shared memory can be, in any of its precisions.
func (p *Package) needsDynamicShared(k *Kernel) bool {
	ctx := types.NewContext()
	for _, args := range p.Precisions(k) {
		env := map[*types.TypeParam]types.Type{}
		for i, a := range args {
			env[k.Fn.Signature().TypeParams().At(i)] = a
		}
		var s sharedLayout
		for v := range k.Fn.Signature().Params().Variables() {
			if a := source.SharedArray(k, subst(v.Type(), env, ctx)); a != nil {
				s.add(v.Name(), "", source.Sizes.Sizeof(a))
			}
		}
		if s.bytes > maxStaticShared {
			return true
		}
	}
	return false
}

// sharedBytes writes the field of an abi.Launch with the bytes of a block's dynamic shared memory.
func (p *Package) sharedBytes(k *Kernel, l *loopType) string {
	if !p.needsDynamicShared(k) {
		return ""
	}
	var sizes []string
	for _, v := range l.shared {
		sizes = append(sizes, "abi.Shared["+v[1]+"]()")
	}
	return "Shared: " + strings.Join(sizes, " + ") + ", "
}

// barrierBefore writes a barrier before a statement, outside the loops of a tile kernel, that reads shared memory, so
// that all threads have written it.
func (f *function) barrierBefore(s ast.Stmt) {
	if r, ok := s.(*ast.RangeStmt); ok {
		if !f.u.pkg.Ordered(f.comments, r) {
			return // its own barrier is that of a loop whose iterations are distributed: see threadLoop
		}
		s = &ast.ExprStmt{X: r.X}
	}
	if f.threadLoops > 0 && f.u.pkg.MentionsShared(f.out.fn, s) {
		f.line("__syncthreads();")
	}
}

// threadLoop writes an outer loop of a tile kernel: its iterations are distributed cyclically over the block's threads,
// with a barrier before the next loop.
func (f *function) threadLoop(s *ast.RangeStmt, ct, name, count string) {
	if f.threadLoops > 0 {
		f.line("__syncthreads();")
	}
	f.threadLoops++
	f.line("TURNS(%s, %s, %s) {", ct, name, count)
	f.copies = false
	f.block(s.Body)
	f.line("}")
	if f.copies {
		f.line("copies_done();")
	}
}

package kernelgen

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// ungranted is how many bytes a block may share without asking: on any GPU the static variables of a kernel.
const ungranted = 48 << 10

// asking declares memory whose size a launch says.
const asking = `
#ifndef SHARED_MEMORY
#define SHARED_MEMORY(name, bytes) extern __shared__ __align__(16) uint8 name[]
#define SHARED_PART(name, offset, ...) __VA_ARGS__ &name = *(__VA_ARGS__ *)(shared_memory + offset)
#endif
`

// sharing is the memory that a block shares, as it is collected: arrays one after the other, each at a multiple of 16
// bytes.
type sharing struct {
	names, types []string
	offsets      []int64
	bytes        int64
}

// add adds an array and returns its address.
func (s *sharing) add(name, ctype string, size int64) string {
	s.names, s.types = append(s.names, name), append(s.types, ctype)
	s.offsets = append(s.offsets, s.bytes)
	s.bytes += (size + 15) / 16 * 16
	return "&" + name
}

// declared writes the arrays as static variables, or as parts of the memory that a launch asks for.
func (s *sharing) declared(dynamic bool) string {
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

// dynamic tells whether a kernel shares more than it may without asking, in any of its precisions.
func (p *Package) dynamic(k *Kernel) bool {
	ctx := types.NewContext()
	for _, args := range p.Precisions(k) {
		env := map[*types.TypeParam]types.Type{}
		for i, a := range args {
			env[k.Fn.Signature().TypeParams().At(i)] = a
		}
		var s sharing
		for v := range k.Fn.Signature().Params().Variables() {
			if a := source.SharedArray(k, subst(v.Type(), env, ctx)); a != nil {
				s.add(v.Name(), "", source.Sizes.Sizeof(a))
			}
		}
		if s.bytes > ungranted {
			return true
		}
	}
	return false
}

// sharedBytes is the field of an abi.Launch that says how many bytes a block asks for.
func (p *Package) sharedBytes(k *Kernel, l *launched) string {
	if !p.dynamic(k) {
		return ""
	}
	var all []string
	for _, v := range l.shared {
		all = append(all, "abi.Shared["+v[1]+"]()")
	}
	return "Shared: " + strings.Join(all, " + ") + ", "
}

// await lets all threads of a tile come to a statement outside of its loops that reads what they share.
func (f *function) await(s ast.Stmt) {
	if r, ok := s.(*ast.RangeStmt); ok {
		if !f.u.pkg.Ordered(f.notes, r) {
			return // waits as any loop that is shared does
		}
		s = &ast.ExprStmt{X: r.X}
	}
	if f.phases > 0 && f.u.pkg.MentionsShared(f.out.fn, s) {
		f.line("__syncthreads();")
	}
}

// lanes writes an outer loop of a tile kernel: its turns go round among the block's threads, and the next loop begins
// when all are done.
func (f *function) lanes(s *ast.RangeStmt, ct, name, count string) {
	if f.phases > 0 {
		f.line("__syncthreads();")
	}
	f.phases++
	f.line("TURNS(%s, %s, %s) {", ct, name, count)
	f.copies = false
	f.block(s.Body)
	f.line("}")
	if f.copies {
		f.line("copies_done();")
	}
}

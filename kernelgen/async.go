package kernelgen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// asyncPrelude is the prelude of asynchronous copies (cp.async) from global to shared memory.
const asyncPrelude = `
#ifndef ONE_THREAD
template <int N> DEVICE void copy_async(void *to, const void *from) {
    const uint32 shared = uint32(__cvta_generic_to_shared(to));
    const uint64 global = __cvta_generic_to_global(from);
    if (N == 16) // past L1, most of which is shared memory
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared), "l"(global));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(shared), "l"(global), "n"(N));
}
DEVICE void copies_done() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}
#endif
`

// asyncOptions returns the compiler's options for CUDA C. Asynchronous copies need compute capability 8.0.
func asyncOptions(source string, options []string) []string {
	if !strings.Contains(source, "copies_done();") {
		return options
	}
	adapted := slices.Clone(options)
	for i, o := range adapted {
		if name, _, _ := strings.Cut(o, "="); name+"=" == architecture {
			adapted[i] = name + "=compute_80"
		}
	}
	return adapted
}

// isAsync reports whether an assignment is marked //atoll:async.
func (f *function) isAsync(s *ast.AssignStmt) bool {
	for _, group := range f.comments[s] {
		for _, words := range f.u.pkg.Directives(group) {
			if words[0] == "async" && len(words) == 1 {
				return true
			}
			f.refuse(s, "//atoll:%s stands before an assignment: one can only be marked //atoll:async", strings.Join(words, " "))
		}
	}
	return false
}

// async translates an assignment of numbers to shared memory to asynchronous copies of 4, 8 or 16 bytes. The end of the
// loop waits for them.
func (f *function) async(s *ast.AssignStmt) {
	const what = "//atoll:async marks copies of numbers to shared memory, such as shared[k], in a loop of a tile kernel"
	if !f.tile || f.depth <= f.uniformDepth || s.Tok != token.ASSIGN || len(s.Lhs) != len(s.Rhs) {
		f.refuse(s, what)
		return
	}
	pkg := f.u.pkg
	for i, l := range s.Lhs {
		r := ast.Unparen(s.Rhs[i])
		_, field := r.(*ast.SelectorExpr)
		_, element := r.(*ast.IndexExpr)
		size := source.Sizes.Sizeof(f.typeOf(l))
		if !pkg.MentionsShared(f.out.fn, l) || pkg.MentionsShared(f.out.fn, r) || !field && !element ||
			size != 4 && size != 8 || pkg.Info.Types[r].Value != nil {
			f.refuse(l, what)
			return
		}
	}
	for i := 0; i < len(s.Lhs); {
		n, count := f.mergedCopy(s, i)
		f.line("copy_async<%d>(&%s, &%s);", n, f.expr(s.Lhs[i]).text, f.expr(s.Rhs[i]).text)
		i += count
	}
	f.copies, f.u.copies = true, true
}

// mergedCopy returns how many bytes (at most 16) and fields, from the i-th of an assignment on, one copy can transfer.
func (f *function) mergedCopy(s *ast.AssignStmt, i int) (bytes int64, count int) {
	bytes, count = source.Sizes.Sizeof(f.typeOf(s.Lhs[i])), 1
	size := bytes
	for k := i + 1; k < len(s.Lhs) && (int64(k-i)+1)*size <= 16; k++ {
		if !f.follows(s.Lhs[k-1], s.Lhs[k], size) || !f.follows(s.Rhs[k-1], s.Rhs[k], size) {
			break
		}
		n := (int64(k-i) + 1) * size
		if n&(n-1) == 0 && f.aligned(s.Lhs[i], n) && f.aligned(s.Rhs[i], n) {
			bytes, count = n, k-i+1
		}
	}
	return bytes, count
}

// follows reports whether b is the field after a in the same struct, both of the same size.
func (f *function) follows(a, b ast.Expr, size int64) bool {
	x, ok := ast.Unparen(a).(*ast.SelectorExpr)
	y, isSelector := ast.Unparen(b).(*ast.SelectorExpr)
	return ok && isSelector && f.expr(x.X).text == f.expr(y.X).text && source.Sizes.Sizeof(f.typeOf(b)) == size &&
		f.offset(y) == f.offset(x)+size
}

// aligned reports whether the address of a field is a multiple of n bytes.
func (f *function) aligned(e ast.Expr, n int64) bool {
	x := ast.Unparen(e).(*ast.SelectorExpr)
	named, ok := types.Unalias(pointee(f.typeOf(x.X))).(*types.Named)
	return ok && f.u.vectorAlign(named)%n == 0 && f.u.vectorAlign(named) > 0 && f.offset(x)%n == 0
}

// offset returns the offset of a field in its struct, in bytes.
func (f *function) offset(x *ast.SelectorExpr) int64 {
	s, ok := pointee(f.typeOf(x.X)).Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	fields := structFields(s)
	for i, offset := range source.Sizes.Offsetsof(fields) {
		if fields[i].Name() == x.Sel.Name {
			return offset
		}
	}
	return 0
}

// pointee returns the element type of a pointer type, or the type itself.
func pointee(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

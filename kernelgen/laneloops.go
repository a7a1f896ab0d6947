package kernelgen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// laneFor translates a for loop. Lanes whose condition is false are masked until the loop ends for all lanes. A loop
// variable that the body does not assign stays a scalar if its initial value is a scalar.
func (f *function) laneFor(s *ast.ForStmt) {
	f.line("{")
	f.depth++
	if s.Init != nil {
		a, ok := s.Init.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE {
			f.statement(s.Init)
		} else {
			for i, x := range a.Lhs {
				v, _ := f.u.pkg.Info.Defs[x.(*ast.Ident)].(*types.Var)
				t := f.ctype(x, v.Type())
				if f.isAssigned(s.Body, v) {
					f.line("Lanes<%s> %s = lanes<%s>(%s);", t, f.local(v), t, f.expr(a.Rhs[i]).text)
				} else {
					f.line("auto %s = counter<%s>(%s);", f.local(v), t, f.lane(a.Rhs[i]))
				}
			}
		}
	}
	f.laneLoop(func() string {
		if s.Cond == nil {
			return forever
		}
		return f.value(s.Cond).text
	}, s.Body, func() {
		if s.Post != nil {
			f.statement(s.Post)
		}
	})
	f.depth--
	f.line("}")
}

// forever is the condition of a loop without one.
const forever = "true"

// endlessPrelude is the prelude for loops that end by break or return only.
const endlessPrelude = `
// live reports whether any lane is left. While all are, which the processor predicts, it replaces the mask by a
// constant: then the loads of the next iteration do not wait for the comparisons of this one.
INLINE bool live(All) { return true; }
INLINE bool live(Mask &m) {
    const uint32 which = bits(m);
    if (__builtin_expect(which != (1ull << LANES) - 1, 0)) return which != 0;
#ifdef __AVX512F__
    uint32 all = -1;
    asm("" : "+r"(all)); // hides from the compiler that this is the mask's value
    m.v = -__builtin_convertvector(__builtin_bit_cast(Truth, (unsigned _BitInt(LANES))all), Vector<Integer<REAL>>);
#else
    Integer<REAL> all = -1;
    asm("" : "+r"(all));
    for (int l = 0; l < LANES; l++) m.v[l] = all;
#endif
    return true;
}

// The addresses of adjacent elements that are all inside of the slice do not depend on the mask either.
template <typename T, typename I> requires(!number<T>)
INLINE Ref<T, Spread, 0> at(Mask m, const Slice<T> &x, const Line<I> &i) {
    if (__builtin_expect(i.first < 0 || i.first + LANES > x.len, 0)) return {spread(m, x.data, value(i))};
    Spread to;
    for (int l = 0; l < LANES; l++) to.at[l] = (char *)(x.data + i.first + l);
    return {to};
}
`

// laneLoop translates a loop after its initialization.
func (f *function) laneLoop(cond func() string, body *ast.BlockStmt, post func()) {
	f.level++
	outer := f.loop
	f.loop = f.level
	narrow := fmt.Sprintf("varying(mask_%d)", f.level-1)
	if !f.jumps(body) {
		// course is the mask of a loop without break, continue and return: the outer mask if cond is a scalar.
		narrow = fmt.Sprintf("course(mask_%d, %s)", f.level-1, f.outerCondition(cond))
	}
	f.line("auto %s = %s;", f.mask(), narrow)
	wasEndless := f.endless
	if c := cond(); c == forever {
		f.endless, f.u.endless = true, true
		f.line("while (live(%s)) {", f.mask())
	} else {
		f.endless = false
		f.line("while (keep(%s, %s)) {", f.mask(), c)
	}
	f.withMask(f.mask(), func() { f.laneList(body.List) })
	f.depth++
	post()
	f.depth--
	f.line("}")
	f.loop, f.endless = outer, wasEndless
	f.level--
}

// outerCondition translates a loop's condition outside of the loop's own mask.
func (f *function) outerCondition(cond func() string) string {
	f.level--
	defer func() { f.level++ }()
	return cond()
}

// jumps reports whether a body has break, continue or return statements.
func (f *function) jumps(body ast.Node) bool {
	found := false
	if remaining, ok := body.(*remainingCases); ok {
		body = remaining.Body
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BranchStmt, *ast.ReturnStmt:
			found = true
		}
		return !found
	})
	return found
}

func (f *function) laneRange(s *ast.RangeStmt) {
	if s.Value != nil {
		f.refuse(s.Value, "a range loop with a value: take the element by its index, x[i]")
		return
	}
	t := f.typeOf(s.X)
	count, ct := "", "int64"
	if source.KindOf(t)&types.IsInteger != 0 {
		count, ct = f.value(s.X).text, f.ctype(s.X, t)
	} else if a, ok := arrayOf(t); ok {
		count = fmt.Sprint(a.Len())
	} else if isSlice(t.Underlying()) {
		count = f.value(s.X).atLeast(primary) + ".len"
	} else {
		f.refuse(s.X, "range over %s: kernels range over integers, slices and arrays", f.u.typeString(t))
		return
	}
	name, end := f.newName("turn"), f.newName("end")
	if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" {
		v := f.u.pkg.Info.Defs[id].(*types.Var)
		f.loopVariables[v] = true
		name = f.local(v)
	}
	f.line("{")
	f.depth++
	f.line("const auto %s = value(%s);", end, count)
	f.line("%s %s = 0;", ct, name)
	f.laneLoop(func() string { return name + " < " + end }, s.Body, func() { f.line("%s++;", name) })
	f.depth--
	f.line("}")
}

// laneBranch translates break and continue.
func (f *function) laneBranch(s *ast.BranchStmt) {
	switch {
	case s.Label != nil || f.loop == 0:
		f.refuse(s, "%s with a label or outside of a loop, in a kernel marked lanes", s.Tok)
	case s.Tok == token.BREAK:
		f.line("drop(%s, %s);", f.mask(), f.maskNames(f.loop))
	case s.Tok == token.CONTINUE:
		f.line("drop(%s, %s);", f.mask(), f.maskNames(f.loop+1))
	default:
		f.refuse(s, "%s: kernels have no jumps but break, continue and return", s.Tok)
	}
}

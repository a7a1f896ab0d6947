package kernelgen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// lane translates an expression to a C++ value with a number for each lane, or one for all lanes. What an
// expression such as x[i] refers to is loaded from memory.
func (f *function) lane(e ast.Expr) string {
	x := f.value(e)
	if f.u.pkg.Info.Types[e].Value != nil {
		return f.argument(e, x, f.typeOf(e))
	}
	switch f.typeOf(e).Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return x.text
	}
	switch ast.Unparen(e).(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		return "value(" + x.text + ")"
	}
	return x.text
}

// isMutated reports whether a variable, or a part of it, is assigned after its declaration or has its address taken.
func (f *function) isMutated(v *types.Var) bool {
	if f.isAddressed(v) {
		return true
	}
	found := false
	isPart := func(e ast.Expr) bool {
		r, _ := f.rootVariable(e)
		return r == v
	}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				id, ok := l.(*ast.Ident)
				found = found || isPart(l) && !(ok && f.u.pkg.Info.Defs[id] == v)
			}
		case *ast.IncDecStmt:
			found = found || isPart(n.X)
		}
		return !found
	})
	return found
}

// laneDeclare declares a variable. One that never changes keeps the C++ type of its value, which may be a scalar.
func (f *function) laneDeclare(at ast.Node, v *types.Var, text string) {
	t := f.subst(v.Type())
	switch {
	case !f.u.holdsNoReference(t):
		if f.assignedLater(v) {
			f.refuse(at, "pointer or slice %s is assigned again, in a kernel marked lanes: use another variable", v.Name())
		}
		f.line("const auto %s = %s;", f.local(v), text)
	case f.isMutated(v):
		f.line("Lanes<%s> %s = lanes<%s>(%s);", f.ctype(at, t), f.local(v), f.ctype(at, t), text)
	default:
		f.line("const auto %s = %s;", f.local(v), text)
	}
}

// assignedLater reports whether a variable is assigned after its declaration.
func (f *function) assignedLater(v *types.Var) bool {
	found := false
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				id, ok := l.(*ast.Ident)
				found = found || ok && f.u.pkg.Info.Uses[id] == v
			}
		}
		return !found
	})
	return found
}

// laneAssign translates lhs = rhs and lhs := rhs. Several values are computed before the first assignment.
func (f *function) laneAssign(to []target, rhs []ast.Expr) {
	values := make([]string, len(rhs))
	for i, r := range rhs {
		values[i] = f.lane(r)
		if len(rhs) > 1 && f.u.pkg.Info.Types[r].Value == nil && to[i].defines == nil {
			name := f.newName("value")
			f.line("const auto %s = %s;", name, values[i])
			values[i] = name
		}
	}
	for i, t := range to {
		switch {
		case t.blank:
		case t.defines != nil:
			f.laneDeclare(t.expr, t.defines, values[i])
		default:
			f.laneSet(t.expr, values[i])
		}
	}
}

func (f *function) laneSet(lvalue ast.Expr, value string) {
	f.line("set(%s, %s, %s);", f.mask(), f.expr(lvalue).text, value)
}

// laneSpread assigns the results of one call to several targets.
func (f *function) laneSpread(to []target, call ast.Expr) {
	results := f.newName("results")
	f.line("const auto %s = %s;", results, f.value(call).text)
	for i, t := range to {
		value := fmt.Sprintf("%s.r%d", results, i)
		switch {
		case t.blank:
		case t.defines != nil:
			f.laneDeclare(t.expr, t.defines, value)
		default:
			f.laneSet(t.expr, value)
		}
	}
}

// logic translates && and || with a costly second operand, which is evaluated only for lanes where the first operand
// does not determine the result. It returns false for other expressions.
func (f *function) logic(e *ast.BinaryExpr) (cexpr, bool) {
	if !f.u.lanes || e.Op != token.LAND && e.Op != token.LOR || f.u.cost(e.Y) <= cheapCost {
		return cexpr{}, false
	}
	name := map[token.Token]string{token.LAND: "both", token.LOR: "either"}[e.Op]
	x, outer := f.expr(e.X).text, f.mask()
	f.level++
	y := f.expr(e.Y).text
	inner := f.mask()
	f.level--
	return atom("%s(%s, %s, [&](auto %s) { return %s; })", name, outer, x, inner, y), true
}

// laneStruct returns the C++ types of a struct of numbers with a value for each lane: as vectors, and as references to
// memory.
func (u *unit) laneStruct(c *cstruct, s *types.Struct, ids, ctypes []string) string {
	if !u.lanes || !u.holdsNoReference(s) {
		return ""
	}
	offsets := source.Sizes.Offsetsof(structFields(s))
	word, allSame := wordType(s)
	var fields, refs, values, uniform, sets, parts, keeps strings.Builder
	for i, id := range ids {
		fmt.Fprintf(&fields, " Lanes<%s> %s;", ctypes[i], id)
		fmt.Fprintf(&refs, "        Ref<%s, P, O + %d> %s;\n", ctypes[i], offsets[i], id)
		comma := ""
		if i > 0 {
			comma = ", "
		}
		fmt.Fprintf(&values, "%svalue(r.%s)", comma, id)
		fmt.Fprintf(&uniform, "%slanes<%s>(x.%s)", comma, ctypes[i], id)
		fmt.Fprintf(&sets, " set(m, to.%s, x.%s);", id, id)
		fmt.Fprintf(&parts, "%spart(Kept<%s>{}, all, offset + %d)", comma, ctypes[i], offsets[i])
		fmt.Fprintf(&keeps, " keep_part(Kept<%s>{}, all, offset + %d, x.%s);", ctypes[i], offsets[i], id)
	}
	read, write, pieces := "{"+values.String()+"}", sets.String(), ""
	if word != "" {
		wordAndCount := fmt.Sprintf("%s, %d", word, source.Sizes.Sizeof(s)/map[string]int64{"float": 4, "double": 8}[word])
		pieces = fmt.Sprintf("template <typename W, int N> INLINE %[1]s_lanes part(Kept<%[1]s>, const Words<W, N> &all, "+
			"int64 offset) {\n    return {%[2]s};\n}\n", c.name, parts.String())
		read = fmt.Sprintf("part(Kept<%s>{}, words<%s>(r.place, O), 0)", c.name, wordAndCount)
		if allSame {
			pieces += fmt.Sprintf("template <typename W, int N> INLINE void keep_part(Kept<%[1]s>, Words<W, N> &all, "+
				"int64 offset, const %[1]s_lanes &x) {%[2]s }\n", c.name, keeps.String())
			write = fmt.Sprintf("\n    Words<%s> all;\n    keep_part(Kept<%[2]s>{}, all, 0, lanes<%[2]s>(x));\n"+
				"    keep_words(m, all, to.place, O);\n", wordAndCount, c.name)
		}
	}
	return fmt.Sprintf(`struct %[1]s_lanes {%[2]s };
template <> struct LanesOf<%[1]s> { typedef %[1]s_lanes type; };
template <typename P, int64 O> struct Ref<%[1]s, P, O> {
    typedef %[1]s element;
    union {
        P place;
%[3]s    };
    MEMBER const Ref *operator->() const { return this; }
    MEMBER const Ref &operator*() const { return *this; }
    MEMBER Ref operator&() const { return *this; }
};
%[7]stemplate <typename P, int64 O> INLINE %[1]s_lanes value(const Ref<%[1]s, P, O> &r) { return %[4]s; }
template <typename T> requires Same<T, %[1]s>::is INLINE %[1]s_lanes lanes(const %[1]s &x) { return {%[5]s}; }
template <typename M, typename X> INLINE void set(M m, %[1]s_lanes &to, const X &x) {%[6]s }
template <typename M, typename P, int64 O, typename X> INLINE void set(M m, `+
		`const Ref<%[1]s, P, O> &to, const X &x) {%[8]s }
`, c.name, fields.String(), refs.String(), read, uniform.String(), sets.String(), pieces, write)
}

// wordType returns the type of word in which a struct can be loaded: double if its largest number has 8 bytes,
// float if it has 4; and whether all its numbers have this size. It returns "" if the struct's size is not a
// multiple of the word's.
func wordType(s *types.Struct) (name string, allSame bool) {
	largest, smallest := int64(0), int64(8)
	holds(s, func(t types.Type) bool {
		if b, ok := t.(*types.Basic); ok {
			size := source.Sizes.Sizeof(b)
			largest, smallest = max(largest, size), min(smallest, size)
		}
		return false
	})
	if largest < 4 || source.Sizes.Sizeof(s)%largest != 0 {
		return "", false
	}
	return map[int64]string{4: "float", 8: "double"}[largest], largest == smallest
}

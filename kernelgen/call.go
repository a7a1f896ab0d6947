package kernelgen

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// callExpr translates a call: a conversion, a builtin, or a function or method.
func (f *function) callExpr(c *ast.CallExpr) cexpr {
	if c.Ellipsis.IsValid() {
		f.refuse(c, "a call with ...: kernels have no variable arguments")
		return refusedExpr
	}
	if f.u.pkg.Info.Types[c.Fun].IsType() {
		return f.convert(c)
	}
	if f.u.pkg.Info.Types[c.Fun].IsBuiltin() {
		return f.builtin(c)
	}
	fn := f.u.callee(c)
	if fn == nil {
		f.refuse(c, "%s is not the name of a function: kernels have no function values", callName(c))
		return refusedExpr
	}
	switch {
	case f.u.pkg.IsSource(fn.Pkg()):
		if types.IsInterface(receiverType(fn)) {
			f.refuse(c, "%s is a method of an interface: kernels have no interfaces", callName(c))
			return refusedExpr
		}
		return f.callSource(c, fn)
	case fn.Pkg() != nil && fn.Pkg().Path() == "math":
		return f.math(c, fn, false)
	case isReduction(deref(f.typeOf(receiverOf(c)))):
		x, dot := f.expr(receiverOf(c)), "."
		if _, ok := f.typeOf(receiverOf(c)).Underlying().(*types.Pointer); ok {
			dot = "->"
		}
		var args []string
		for _, a := range c.Args {
			args = append(args, f.expr(a).text)
		}
		return atom("%s%s%s(%s)", x.atLeast(primary), dot, fn.Name(), strings.Join(args, ", "))
	case fn.Pkg() != nil && atomics[fn.FullName()] != "":
		f.refuse(c, "the result of %s depends on the order of threads: call it as a statement", callName(c))
	default:
		f.refuse(c, "%s belongs to the standard library: kernels may only call its functions %s", callName(c),
			supportedFunctions)
	}
	return refusedExpr
}

const supportedFunctions = "math.Sqrt, Abs, Min, Max, Copysign, Floor, Ceil, Trunc, NaN, Inf, IsNaN, IsInf, " +
	"Float64bits, Float64frombits, and atomic additions, minima and maxima"

// receiverOf returns the expression on which a method is called, or the function itself.
func receiverOf(c *ast.CallExpr) ast.Expr {
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		return s.X
	}
	return c.Fun
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func receiverType(fn *types.Func) types.Type {
	if r := fn.Signature().Recv(); r != nil {
		return r.Type()
	}
	return types.Typ[types.Int]
}

// callSource translates a call of a function or method of the package, or of a package that it imports from source.
func (f *function) callSource(c *ast.CallExpr, fn *types.Func) (call cexpr) {
	var params []string
	if f.u.lanes {
		if f.u.pkg.Rare[fn.Origin()] {
			if fn.Signature().Results().Len() != 1 {
				f.refuse(c, "%s is marked //atoll:rare and must have one result", callName(c))
				return refusedExpr
			}
			outer := f.mask()
			f.level++
			defer func() { // marked rare: the lanes that need it are collected, and it is executed for full vectors of them
				call.text = fmt.Sprintf("rare<%s>(left, %s, [&](auto %s) INLINED { return %s; })",
					f.ctype(c, f.typeOf(c)), outer, f.mask(), call.text)
				f.level--
			}()
		}
		if f.u.pkg.callsRare(fn) {
			params = append(params, "left")
		}
		params = append(params, f.mask())
	}
	var typeArgs []types.Type
	fun := ast.Unparen(c.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok && !f.isPackage(sel.X) {
		receiver, args, ok := f.receiver(c, sel, fn)
		if !ok {
			return refusedExpr
		}
		params, typeArgs = append(params, receiver), args
	} else {
		typeArgs = f.typeArguments(fun)
	}
	for _, a := range c.Args {
		if call, ok := ast.Unparen(a).(*ast.CallExpr); ok && len(c.Args) == 1 && fn.Signature().Params().Len() > 1 {
			f.refuse(call, "%s passes several results on as arguments: assign them to variables first", callName(call))
			return refusedExpr
		}
		if f.u.lanes {
			params = append(params, f.lane(a))
			continue
		}
		params = append(params, f.expr(a).text)
	}
	return atom("%s(%s)", f.u.call(c, fn, typeArgs).name, strings.Join(params, ", "))
}

// receiver returns a method's receiver as an argument, and the type arguments of its type.
func (f *function) receiver(c *ast.CallExpr, sel *ast.SelectorExpr, fn *types.Func) (text string, args []types.Type,
	ok bool) {
	s := f.u.pkg.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		f.refuse(c, "%s is not called on a value: write value.Method(…)", callName(c))
		return "", nil, false
	}
	x, t := f.path(sel, f.expr(sel.X), f.typeOf(sel.X), s.Index()[:len(s.Index())-1])
	_, isPointer := t.Underlying().(*types.Pointer)
	_, wantsPointer := fn.Origin().Signature().Recv().Type().(*types.Pointer)
	switch {
	case wantsPointer && !isPointer:
		if len(s.Index()) == 1 {
			f.checkAddress(ast.Unparen(sel.X))
		} else if p := f.constantBase(sel); p != nil && !f.u.passedByValue(t) {
			f.refuse(sel, "method %s takes the address of a part of a %s that kernels get by value: mark its type "+
				"//atoll:constant",
				fn.Name(), f.u.typeString(p))
		}
		x = cexpr{"&" + x.atLeast(unary), unary}
	case !wantsPointer && isPointer:
		x = cexpr{"*" + x.atLeast(unary), unary}
	}
	if f.u.lanes && !wantsPointer {
		x = atom("value(%s)", x.text)
	}
	return x.text, typeList(receiver(t).TypeArgs()), true
}

// typeArguments returns the type arguments of a called function.
func (f *function) typeArguments(fun ast.Expr) (typeArgs []types.Type) {
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	name, ok := fun.(*ast.Ident)
	if !ok {
		name = fun.(*ast.SelectorExpr).Sel
	}
	for _, a := range typeList(f.u.pkg.Info.Instances[name].TypeArgs) {
		typeArgs = append(typeArgs, f.subst(a))
	}
	return typeArgs
}

// isPackage reports whether an expression is the name of an imported package.
func (f *function) isPackage(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = f.u.pkg.Info.Uses[id].(*types.PkgName)
	return ok
}

// builtin translates len, min and max.
func (f *function) builtin(c *ast.CallExpr) cexpr {
	name := callName(c)
	switch name {
	case "len":
		x := c.Args[0]
		if _, ok := f.typeOf(x).Underlying().(*types.Slice); ok {
			return atom("%s.len", f.expr(x).atLeast(primary))
		}
		if a, ok := arrayOf(f.typeOf(x)); ok {
			return atom("%d", a.Len())
		}
		f.refuse(c, "len of %s: kernels take the length of slices and arrays", f.u.typeString(f.typeOf(x)))
	case "min", "max":
		helper := map[string]string{"min": "go_min", "max": "go_max"}[name]
		t := f.typeOf(c)
		x := f.expr(c.Args[0]).text
		for _, a := range c.Args[1:] {
			x = fmt.Sprintf("%s<%s>(%s, %s)", helper, f.ctype(c, t), x, f.expr(a).text)
		}
		return atom("%s", x)
	case "append", "make", "new":
		f.refuse(c, "%s: kernels allocate nothing; write to a slice that is an argument", name)
	default:
		f.refuse(c, "builtin %s is not supported in kernels", name)
	}
	return refusedExpr
}

// arrayOf returns the array type that t is or points to.
func arrayOf(t types.Type) (*types.Array, bool) {
	t = t.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	a, ok := t.(*types.Array)
	return a, ok
}

// convert translates T(x).
func (f *function) convert(c *ast.CallExpr) cexpr {
	to, x := f.typeOf(c), ast.Unparen(c.Args[0])
	from := f.typeOf(x)
	if source.KindOf(to)&(types.IsNumeric|types.IsBoolean) == 0 ||
		source.KindOf(from)&(types.IsNumeric|types.IsBoolean) == 0 {
		if !types.Identical(to, from) {
			f.refuse(c, "a conversion from %s to %s: kernels convert numbers", f.u.typeString(from), f.u.typeString(to))
			return refusedExpr
		}
	}
	if v := f.u.pkg.Info.Types[x].Value; v != nil {
		// Where T is a type parameter, Go rounds the constant to its own type first.
		if source.KindOf(from)&types.IsFloat != 0 {
			r, _ := constant.Float64Val(v)
			v = constant.MakeFloat64(r)
		}
		return f.constant(c, v, to)
	}
	if call, ok := x.(*ast.CallExpr); ok && isFloat32(to) {
		if fn := f.u.callee(call); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "math" && f.isSinglePrecision(call,
			fn) {
			return f.math(call, fn, true)
		}
	}
	ct := f.ctype(c, to)
	if ct == f.ctype(c, from) {
		return f.expr(x)
	}
	if f.u.lanes {
		return atom("cast<%s>(%s)", ct, f.expr(x).text)
	}
	return atom("%s(%s)", ct, f.expr(x).text)
}

func isFloat32(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Float32
}

// A mathFunction describes a function of package math: its C name for double; its C name for float, if the float
// function returns the double result rounded to float; and its result type, if that differs from C's.
type mathFunction struct{ double, float, result string }

var mathFunctions = map[string]mathFunction{
	"Sqrt":     {double: "__dsqrt_rn", float: "__fsqrt_rn"},
	"Abs":      {double: "fabs", float: "fabsf"},
	"Floor":    {double: "floor", float: "floorf"},
	"Ceil":     {double: "ceil", float: "ceilf"},
	"Trunc":    {double: "trunc", float: "truncf"},
	"Copysign": {double: "copysign", float: "copysignf"},
	"Min":      {double: "math_Min"},
	"Max":      {double: "math_Max"},
	"NaN":      {double: "math_NaN"},
	"Inf":      {double: "math_Inf"},
	"IsNaN":    {double: "math_IsNaN"},
	"IsInf":    {double: "math_IsInf"},
	// The bits of a NaN differ between processors.
	"Float64bits":     {double: "__double_as_longlong", result: "uint64"},
	"Float64frombits": {double: "__longlong_as_double"},
}

// isSinglePrecision reports whether all arguments of a call are float32 numbers converted to float64. Then
// float32(math.Sqrt(float64(x))) is translated to a float square root: the double root rounded to float is the
// correctly rounded float root.
func (f *function) isSinglePrecision(c *ast.CallExpr, fn *types.Func) bool {
	for _, a := range c.Args {
		if f.widened(a) == nil {
			return false
		}
	}
	return mathFunctions[fn.Name()].float != ""
}

// widened returns x of an expression float64(x) with a float32 x, or nil.
func (f *function) widened(e ast.Expr) ast.Expr {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !f.u.pkg.Info.Types[c.Fun].IsType() || !isFloat32(f.typeOf(c.Args[0])) {
		return nil
	}
	return c.Args[0]
}

// math translates a call of a function of package math; single means that its float version is used.
func (f *function) math(c *ast.CallExpr, fn *types.Func, single bool) cexpr {
	m, ok := mathFunctions[fn.Name()]
	if !ok {
		f.refuse(c, "math.%s: its last bits differ between processors; pass it as an argument, or use + - "+
			"* / and %s",
			fn.Name(), supportedFunctions)
		return refusedExpr
	}
	name := m.double
	if f.u.lanes && fn.Name() == "Float64frombits" {
		f.refuse(c, "math.%s: vector code has no conversion of bits", fn.Name())
		return refusedExpr
	}
	var args []string
	for _, a := range c.Args {
		if single {
			a = f.widened(a)
		}
		args = append(args, f.expr(a).text)
	}
	if single {
		name = m.float
	}
	if other := laneNames[name]; f.u.lanes && other != "" {
		name = other
	}
	call := fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
	if m.result != "" {
		call = m.result + "(" + call + ")"
	}
	return atom("%s", call)
}

// atomics maps the atomic functions that kernels may call to their names in the prelude.
var atomics = map[string]string{
	"sync/atomic.AddInt32":      "atomic_add",
	"sync/atomic.AddInt64":      "atomic_add",
	"sync/atomic.AddUint32":     "atomic_add",
	"sync/atomic.AddUint64":     "atomic_add",
	source.AtomicsPath + ".Min": "atomic_min",
	source.AtomicsPath + ".Max": "atomic_max",
}

// atomic translates a call of an atomic function that is a statement. It returns false for other calls.
func (f *function) atomic(c *ast.CallExpr) bool {
	fn := f.u.callee(c)
	if fn == nil || fn.Pkg() == nil || atomics[fn.FullName()] == "" {
		return false
	}
	p, v := c.Args[0], c.Args[1]
	t := f.typeOf(p).Underlying().(*types.Pointer).Elem()
	f.checkWritable(ast.Unparen(p))
	if f.u.lanes {
		f.line("%s(%s, %s, %s);", atomics[fn.FullName()], f.mask(), f.value(p).text, f.lane(v))
		return true
	}
	f.line("%s(%s, %s);", atomics[fn.FullName()], f.value(p).text, f.argument(v, f.value(v), t))
	return true
}

package cuda

import (
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/internal/ptx"
)

// TestSplit proves that the parts are the whole text, and that each kernel is complete.
func TestSplit(t *testing.T) {
	primitives, err := primitivesModule.PTX()
	ok(t, err)
	for name, text := range map[string]string{"kernels": kernelsPTX, "primitives": primitives} {
		parts := ptx.Split(text)
		if parts.Whole != "" || len(parts.Kernels) != strings.Count(text, ".entry ") {
			t.Fatalf("%s: got %d kernels, want %d", name, len(parts.Kernels), strings.Count(text, ".entry "))
		}
		length := len(parts.Head)
		for symbol, kernel := range parts.Kernels {
			length += len(kernel)
			if !strings.HasPrefix(kernel, ".visible .entry "+symbol+"(") ||
				strings.Count(kernel, "{") != strings.Count(kernel, "}") {
				t.Errorf("%s: kernel %s is not complete", name, symbol)
			}
		}
		if length != len(text) || requiredCapability(parts.Head) != requiredCapability(text) {
			t.Errorf("%s: got %d bytes for sm_%d, want %d for sm_%d", name, length, requiredCapability(parts.Head), len(text),
				requiredCapability(text))
		}
	}
}

// TestSplitKeepsFunctions proves that PTX with functions or variables between kernels is not split.
func TestSplitKeepsFunctions(t *testing.T) {
	const head = ".version 8.4\n.target sm_70\n.func before()\n{\n}\n"
	const kernel = ".visible .entry one(\n)\n{\n}\n"
	for between, splittable := range map[string]bool{"": true, ".func f()\n{\n}\n": false, ".global .u32 x;\n": false,
		".visible .func f()\n{\n}\n": false, "// .func\n": true} {
		text := head + kernel + between + strings.Replace(kernel, "one", "two", 1)
		if got := ptx.Split(text); (got.Whole == "") != splittable || got.Whole != "" && got.Whole != text ||
			splittable && len(got.Kernels) != 2 {
			t.Errorf("between %q: %+v", between, got)
		}
	}
	if got := ptx.Split(head); got.Whole != head {
		t.Errorf("without kernels: %+v", got)
	}
}

func TestParamSizes(t *testing.T) {
	const text = ".visible .entry other(\n\t.param .u32 other_param_0\n)\n{\n}\n.visible .entry one(\n" +
		"\t.param .u64 one_param_0,\n\t.param .align 8 .b8 one_param_1[232],\n\t.param .f32 one_param_2,\n" +
		"\t.param .u64 .ptr .align 1 one_param_3\n)\n{\n\tld.param.u64 \t%rd1, [one_param_0];\n}\n"
	for symbol, want := range map[string][]int{"one": {8, 232, 4, 8}, "other": {4}, "on": nil} {
		if got := ptx.ParamSizes(text, symbol); !slices.Equal(got, want) {
			t.Errorf("%s: parameters of %v bytes, want %v", symbol, got, want)
		}
	}
	if got := ptx.ParamSizes(kernelsPTX, "axpy"); !slices.Equal(got, []int{8, 8, 56}) {
		t.Errorf("axpy: parameters of %v bytes", got)
	}
}

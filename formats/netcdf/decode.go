package netcdf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Physical converts stored values to physical ones, in place, by the attributes of the CF conventions and of the NetCDF
// User's Guide:
//
//   - _Unsigned: integers have the other sign convention than their type;
//   - _FillValue, missing_value: values equal to these become NaN. Without _FillValue that is also the value with which
//     the library fills what is not written, except for types of one byte, in which it is an ordinary value;
//   - valid_range, valid_min, valid_max: values outside become NaN. The limits are stored values, or physical ones
//     if their type is that of scale_factor, and wider than that of the variable;
//   - scale_factor, add_offset: a physical value is a stored one times the first plus the second.
//
// Attributes may be numbers of any type, or text with numbers. An attribute that is not a number is an error.
func (v *Var) Physical(values []float64) error {
	d, err := v.decoding()
	if err != nil {
		return fmt.Errorf("variable %q: %w", v.Name, err)
	}
	if d.wrap == nil && len(d.missing) == 0 && !d.scaled && d.limits == unlimited && d.physicalLimits == unlimited {
		return nil
	}
	for i, x := range values {
		if d.wrap != nil {
			x = d.wrap(x)
		}
		missing := !(x >= d.limits[0] && x <= d.limits[1])
		for _, n := range d.missing {
			missing = missing || x == n
		}
		if d.scaled {
			x = x*d.scale + d.offset
		}
		if missing || !(x >= d.physicalLimits[0] && x <= d.physicalLimits[1]) {
			x = math.NaN()
		}
		values[i] = x
	}
	return nil
}

// conventional are the attributes of the CF conventions, by the names that others give them: in lower case, without
// underscores.
var conventional = map[string]string{"unit": "units", "units": "units", "fillvalue": "_FillValue",
	"nodata": "_FillValue", "nodatavalue": "_FillValue", "missingvalue": "missing_value",
	"scalefactor": "scale_factor", "scale": "scale_factor", "slope": "scale_factor",
	"addoffset": "add_offset", "offset": "add_offset", "intercept": "add_offset"}

// OtherNames returns notes about attributes that seem to mean what an attribute of the CF conventions means that the
// variable lacks: they are not used.
func (v *Var) OtherNames() (notes []string) {
	for _, a := range v.Attrs {
		want := conventional[strings.ToLower(strings.ReplaceAll(a.Name, "_", ""))]
		has := func(b Attr) bool { return b.Name == want }
		if want == "" || a.Name == want || slices.ContainsFunc(v.Attrs, has) {
			continue
		}
		notes = append(notes, fmt.Sprintf("%s: the attribute %s is not used, since the CF conventions know only %s: "+
			"ncrename -a %s@%s,%s renames it", v.Name, a.Name, want, v.Name, a.Name, want))
	}
	return notes
}

// decoding is how the stored values of a variable become physical ones.
type decoding struct {
	wrap                   func(x float64) float64 // converts integers between signed and unsigned; nil if they are not
	missing                []float64               // stored values
	limits, physicalLimits [2]float64              // least and largest value that is not missing
	scaled                 bool
	scale, offset          float64
}

var unlimited = [2]float64{math.Inf(-1), math.Inf(1)}

func (v *Var) decoding() (*decoding, error) {
	d := &decoding{wrap: v.wrap(), limits: unlimited, physicalLimits: unlimited, scale: 1}
	if err := v.readScale(d); err != nil {
		return nil, err
	}
	filled := false
	for _, name := range []string{"_FillValue", "missing_value"} {
		list, err := v.Attrs.numbers(name)
		if err != nil {
			return nil, err
		}
		for _, n := range list {
			d.missing = append(d.missing, d.stored(v.Type, n))
		}
		filled = filled || name == "_FillValue" && len(list) > 0
	}
	if n, ok := defaultFill[v.Type]; ok && !filled {
		d.missing = append(d.missing, d.stored(v.Type, n))
	}
	return d, v.readLimits(d)
}

// readScale reads scale_factor and add_offset.
func (v *Var) readScale(d *decoding) error {
	for name, to := range map[string]*float64{"scale_factor": &d.scale, "add_offset": &d.offset} {
		list, err := v.Attrs.numbers(name)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			continue
		case len(list) > 1 || list[0]-list[0] != 0:
			return fmt.Errorf("the attribute %s is %v, want one finite number", name, list)
		}
		if name == "scale_factor" && list[0] == 0 {
			return errors.New("the attribute scale_factor is 0, so that all values would be the same")
		}
		*to, d.scaled = list[0], true
	}
	return nil
}

// readLimits reads valid_range, valid_min and valid_max.
func (v *Var) readLimits(d *decoding) error {
	for _, a := range v.Attrs {
		limits, convert := &d.limits, true
		if d.scaled && a.Type != Char && v.Type.Size() < a.Type.Size() && a.Type == v.scaleType() {
			limits, convert = &d.physicalLimits, false
		}
		var low, high *float64
		switch a.Name {
		case "valid_range":
			low, high = &limits[0], &limits[1]
		case "valid_min":
			low = &limits[0]
		case "valid_max":
			high = &limits[1]
		default:
			continue
		}
		list, err := v.Attrs.numbers(a.Name)
		if err != nil {
			return err
		}
		for _, to := range []*float64{low, high} {
			if to == nil || len(list) == 0 {
				continue
			}
			if *to, list = list[0], list[1:]; convert {
				*to = d.stored(v.Type, *to)
			}
		}
	}
	return nil
}

// scaleType returns the wider of the types of scale_factor and add_offset.
func (v *Var) scaleType() (t Type) {
	for _, a := range v.Attrs {
		if (a.Name == "scale_factor" || a.Name == "add_offset") && (t == 0 || a.Type.Size() > t.Size()) {
			t = a.Type
		}
	}
	return t
}

// stored returns the number that a variable stores for a number of an attribute: rounded to its type, and with the sign
// convention of its values.
func (d *decoding) stored(t Type, x float64) float64 {
	if t == Float32 {
		return float64(float32(x))
	}
	if d.wrap != nil {
		return d.wrap(x)
	}
	return x
}

// wrap returns a function that changes the sign convention of integers, if the attribute _Unsigned contradicts their
// type; else nil.
func (v *Var) wrap() func(x float64) float64 {
	unsigned := strings.ToLower(v.Attrs.Text("_Unsigned"))
	span := math.Pow(2, float64(8*v.Type.Size()))
	switch {
	case unsigned == "true" && slices.Contains([]Type{Int8, Int16, Int32, Int64}, v.Type):
		return func(x float64) float64 {
			if x < 0 {
				x += span
			}
			return x
		}
	case unsigned == "false" && slices.Contains([]Type{Uint8, Uint16, Uint32, Uint64}, v.Type):
		return func(x float64) float64 {
			if x >= span/2 {
				x -= span
			}
			return x
		}
	}
	return nil
}

// defaultFill are the values with which the NetCDF library fills what is not written.
var defaultFill = map[Type]float64{Int16: -32767, Int32: -2147483647, Float32: 0x1.ep+122, Float64: 0x1.ep+122,
	Uint16: 65535, Uint32: 4294967295, Int64: -9223372036854775806, Uint64: 18446744073709551614}

package solvers

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// FirstInvalid finds, among all fields with a view, the entity of lowest key that has an invalid number: one that is
// not finite, or that is negative although Field.NotNegative lists it. It returns a text about the entity and the
// number, the same on all ranks, or "" if all numbers are valid. before are the same fields one step earlier, whose
// values the text then contains too; it may be nil.
func FirstInvalid(ctx context.Context, comm dist.Comm, step int, fields, before []Field) (string, error) {
	lowestKey, text := int64(math.MaxInt64), ""
	for n := range fields {
		f := &fields[n]
		if f.View == nil {
			continue
		}
		h, err := f.onHost()
		if err != nil {
			return "", err
		}
		i, k := f.firstInvalid(&h, &lowestKey)
		if i < 0 {
			continue
		}
		values := h.numbers(nil, i)
		text = f.invalidText(comm, step, i, k, values)
		if before == nil {
			continue
		}
		if h, err = before[n].onHost(); err != nil {
			return "", err
		}
		text += ", before the step " + f.format(h.numbers(nil, i))
	}
	return textOfLowestKey(ctx, comm, lowestKey, text)
}

// DescribeInvalid returns the text of FirstInvalid if each rank has already found its invalid entity of lowest key, and
// copied the values there. entity is -1 on ranks whose values are all valid.
func DescribeInvalid(ctx context.Context, comm dist.Comm, step int, f *Field, entity int,
	values []float64) (string, error) {
	key, text := int64(math.MaxInt64), ""
	if entity >= 0 {
		key = f.Space.Key(entity)
		k := slices.IndexFunc(values, func(v float64) bool { return v-v != 0 })
		text = f.invalidText(comm, step, entity, max(k, 0), values)
	}
	return textOfLowestKey(ctx, comm, key, text)
}

func (f *Field) invalidText(comm dist.Comm, step, entity, number int, values []float64) string {
	return fmt.Sprintf("rank %d: %s %d%s, step %d: %s is %v in %s", comm.Rank(), f.Space.Name, f.Space.Key(entity),
		f.Space.describe(entity), step, f.Numbers()[number], values[number], f.format(values))
}

// textOfLowestKey returns, on all ranks, the text of the rank with the lowest key; "" if all keys are MaxInt64.
func textOfLowestKey(ctx context.Context, comm dist.Comm, key int64, text string) (string, error) {
	least := []int64{key}
	if err := comm.AllreduceInt64(ctx, dist.Min, least); err != nil || least[0] == math.MaxInt64 {
		return "", err
	}
	if key != least[0] {
		text = ""
	}
	_, text, err := dist.FirstText(ctx, comm, text)
	return text, err
}

// firstInvalid finds the owned entity with an invalid number whose key is the lowest and less than *key, and lowers
// *key to it. It returns the entity, -1 for none, and the index of the number.
func (f *Field) firstInvalid(h *hostField, key *int64) (entity, number int) {
	entity = -1
	names := f.Numbers()
	var values []float64
	for i := range f.Space.Owned {
		values = h.numbers(values[:0], i)
		for k, v := range values {
			if (v-v != 0 || v < 0 && slices.Contains(f.NotNegative, names[k])) && f.Space.Key(i) < *key {
				entity, number, *key = i, k, f.Space.Key(i)
			}
		}
	}
	return entity, number
}

// CheckFinite returns an InvalidState that names an entity if one of the numbers of the entities from lo on, as Numbers
// returns them, is not finite although every number of the field must be: the field is hashed and has no label for
// missing values. rank and step are for the message.
func (s *Saved) CheckFinite(rank, step, lo int, numbers []byte) error {
	f := s.field
	if f == nil || !f.Hashed || f.Never != "" {
		return nil
	}
	v := View{Kind: s.kind}
	at := v.firstNotFinite(numbers)
	if at < 0 {
		return nil
	}
	width := s.kind.Size()
	i, k := at*width/s.Size, at*width%s.Size/width
	values := make([]float64, s.Size/width)
	v.decodeAll(values, numbers[i*s.Size:(i+1)*s.Size])
	entity := f.Space.Name
	if f.Space.TakeOwnership == nil { // the others may have moved since the state was copied
		entity = fmt.Sprintf("%s %d%s", entity, f.Space.Key(lo+i), f.Space.describe(lo+i))
	}
	return &InvalidState{fmt.Errorf("rank %d: %s, step %d: %s is %v in %s", rank, entity, step, f.Numbers()[k], values[k],
		f.format(values))}
}

// firstNotFinite returns the index of the first number, of some that lie one after the other, that is not finite: its
// exponent has only ones. It is -1 if there is none.
func (v *View) firstNotFinite(numbers []byte) int {
	switch v.Kind {
	case backend.Float64:
		const exponent = 0x7ff << 52
		for at := 0; at+8 <= len(numbers); at += 8 {
			if binary.NativeEndian.Uint64(numbers[at:])&exponent == exponent {
				return at / 8
			}
		}
	case backend.Float32:
		const exponent = 0xff << 23
		for at := 0; at+4 <= len(numbers); at += 4 {
			if binary.NativeEndian.Uint32(numbers[at:])&exponent == exponent {
				return at / 4
			}
		}
	}
	return -1
}

// format lists the numbers of an entity.
func (f *Field) format(values []float64) string {
	text := "{"
	for k, name := range f.Numbers() {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s: %v", name, values[k])
	}
	return text + "}"
}

// describe formats the position of an entity; "" if the space has no positions.
func (s *Space) describe(i int) string {
	if s.Position == nil {
		return ""
	}
	text := " at ("
	for k, x := range s.Position(i) {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.6g", x)
	}
	return text + ")"
}

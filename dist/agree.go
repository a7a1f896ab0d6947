package dist

import "context"

// FirstText returns the text of the lowest rank that passes a non-empty one, and that rank; -1 and "" if all pass
// "". It is a collective with the same result on all ranks: one reduction if all pass "". err is an error of the
// communication.
func FirstText(ctx context.Context, comm Comm, own string) (rank int, text string, err error) {
	first := []int64{int64(comm.Size())}
	if own != "" {
		first[0] = int64(comm.Rank())
	}
	if err := comm.AllreduceInt64(ctx, Min, first); err != nil || first[0] == int64(comm.Size()) {
		return -1, "", err
	}
	rank = int(first[0])
	if text, err = TextOf(ctx, comm, rank, own); err != nil {
		return -1, "", err
	}
	return rank, text, nil
}

// TextOf returns the text that a rank passes, on all ranks. It is a collective.
func TextOf(ctx context.Context, comm Comm, rank int, own string) (string, error) {
	length := []int64{0}
	if comm.Rank() == rank {
		length[0] = int64(len(own))
	}
	if err := comm.AllreduceInt64(ctx, Max, length); err != nil {
		return "", err
	}
	text := make([]byte, length[0])
	copy(text, own)
	err := comm.Bcast(ctx, rank, text)
	return string(text), err
}

// FirstError is FirstText with the text of each rank's error, "" for nil.
func FirstError(ctx context.Context, comm Comm, own error) (rank int, text string, err error) {
	if own != nil {
		text = own.Error()
	}
	return FirstText(ctx, comm, text)
}
